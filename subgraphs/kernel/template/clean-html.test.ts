import { describe, expect, it } from 'vitest'
import { cleanHtml } from './clean-html.ts'
import { cleanMail } from './clean-mail.ts'
import { cleanLengthMax, htmlDepthMax, htmlElementsMax } from './mail-bounds.ts'

const problemOf = (html: string): string | null => {
  const cleaned = cleanHtml(html)
  return 'problem' in cleaned ? cleaned.problem.code : null
}

describe('the depth of elements', () => {
  // Elements that one version of a parser closes and another one nests, and those that the sanitiser leaves out.
  it.each(['a', 'b', 'button', 'div', 'form', 'nobr', 'ruby', 'script', 'svg', 'template', 'title', 'unknown'])(
    'is counted as the sanitiser sees it: <%s>',
    (name) => {
      // The contents of some elements are text: then there is one element.
      const isText = problemOf(`<${name}>`.repeat(10_000)) === null
      expect(problemOf(`<${name}>`.repeat(htmlDepthMax))).toBeNull()
      expect(problemOf(`<${name}>`.repeat(htmlDepthMax + 1))).toBe(isText ? null : 'TOO_DEEP')
      expect(problemOf(`<${name}>x</${name}>`.repeat(htmlDepthMax + 1))).toBeNull()
    },
  )

  it('is that of links in links', () => {
    expect(problemOf('<a>'.repeat(htmlDepthMax + 1))).toBe('TOO_DEEP')
  })
})

describe('the number of elements and characters', () => {
  it('is bounded', () => {
    expect(problemOf('<br>'.repeat(htmlElementsMax))).toBeNull()
    expect(problemOf('<br>'.repeat(htmlElementsMax + 1))).toBe('TOO_MANY')
    expect(problemOf('&amp;'.repeat(cleanLengthMax / 5))).toBeNull()
    expect(problemOf('&'.repeat(cleanLengthMax / 5 + 1))).toBe('TOO_LONG')
  })
})

/** CPU of this thread in milliseconds, which other work on the machine does not change. */
function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)
/** A generator with a seed, so that a failure can be repeated. */
function randomHtml(seed: number, length: number): string {
  const pieces = [
    '<a>',
    '</a>',
    '<a href="https://e.example">',
    '<p>',
    '</p>',
    '<svg/>',
    '<svg>',
    '</svg>',
    '<td>',
    '<li>',
    '<title>',
  ]
  pieces.push(
    '<',
    '&',
    '&lt;',
    '<!--',
    '-->',
    '<br/>',
    '</x>',
    '<b ',
    '"',
    '>',
    'text ',
    '<style>',
    '</style>',
    '<select><option>',
  )
  let state = seed
  let html = ''
  while (html.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    html += pieces[Math.floor((state / 2_147_483_648) * pieces.length)]
  }
  return html.slice(0, length)
}

describe('the time for a hostile body', () => {
  it.each(['<a>', '<svg/>', '<', '<li>', '</b>'])('of 1,000,000 characters is bounded: %s', (piece) => {
    for (const start of ['', '<div>'.repeat(htmlDepthMax - 2)])
      expect(
        cpuMsOf(() => cleanMail({ bodyHtml: start + fill(piece, 1_000_000 - start.length), bodyText: null })),
      ).toBeLessThan(5000)
  })

  it('made at random is bounded', () => {
    for (let seed = 1; seed <= 5; seed++)
      expect(cpuMsOf(() => cleanMail({ bodyHtml: randomHtml(seed, 250_000), bodyText: null }))).toBeLessThan(2000)
  })
})
