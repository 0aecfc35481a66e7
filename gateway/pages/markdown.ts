import { Marked } from 'marked'
import { escaped } from './escaped.ts'

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w]+/g, '-')
    .replace(/^-|-$/g, '')

/** The address to which a link of the text leads; null if it is only text. */
export type HrefOf = (link: string) => string | null

/** The HTML of our own Markdown, without its title. Texts of others must not be given to it, because HTML in them is kept. */
export async function htmlOf(text: string, hrefOf: HrefOf = (link) => link): Promise<string> {
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        return depth === 1
          ? ''
          : `<h${depth} id="${anchorOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const target = hrefOf(href)
        const words = this.parser.parseInline(tokens)
        return target === null ? words : `<a href="${escaped(target)}">${words}</a>`
      },
    },
  })
  return markdown.parse(text)
}
