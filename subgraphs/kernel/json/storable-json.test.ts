import { expect, it } from 'vitest'
import { storableJson, storableText } from './storable-json.ts'

it('replaces what PostgreSQL cannot store, and nothing else', () => {
  expect(storableText('a\0b \ud800 🙂')).toBe('a\ufffdb \ufffd 🙂')
  const text = storableJson({ 'k\0': ['a\0', '\udfff', '🙂', String.raw`\u0000 \\ud800`, '"\\', null, 1.5] })
  expect(JSON.parse(text)).toEqual({
    'k\ufffd': ['a\ufffd', '\ufffd', '🙂', String.raw`\u0000 \\ud800`, '"\\', null, 1.5],
  })
})
