import { describe, expect, it } from 'vitest'
import { summaryOf } from './extractive-summary.ts'

describe('summaryOf', () => {
  it('selects the sentences with the most frequent words, in their original order', () => {
    const passages = ['The printer prints nothing. Hello!', 'The barcode printer has no paper. Thanks.']
    expect(summaryOf({ title: 'Barcode printer?', passages })).toEqual({
      summary: 'Barcode printer. The printer prints nothing. Hello! The barcode printer has no paper.',
      keyPoints: ['The barcode printer has no paper.', 'The printer prints nothing.', 'Hello!', 'Thanks.'],
      model: 'extractive-1',
    })
  })

  it('cuts a sentence of more than 500 characters, and does not split a surrogate pair', () => {
    const { keyPoints } = summaryOf({ title: 'Long', passages: ['a'.repeat(500), `${'b'.repeat(499)}😀`] })
    expect(keyPoints.map((point) => [point[0], point.length, point.isWellFormed()])).toEqual([
      ['a', 500, true],
      ['b', 501, true],
    ])
  })
})
