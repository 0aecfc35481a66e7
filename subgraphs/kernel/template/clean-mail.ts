import { cleanHtml, htmlWithLinks, textOfHtml } from './clean-html.ts'
import { linkPlace, linksMax, type HtmlProblem } from './mail-bounds.ts'
import { outputMax } from './template-bounds.ts'

export interface MailBody {
  readonly bodyHtml: string | null
  readonly bodyText: string | null
}

export interface CleanMail {
  readonly bodyHtml: string | null
  readonly bodyText: string
  /** The HTML with `linkPlace(n)` in the place of the nth of `links`. */
  readonly linkedHtml: string | null
  readonly links: readonly string[]
  /** Why the HTML was given up. */
  readonly problem?: HtmlProblem
}

const boundedText = (text: string): string => text.slice(0, outputMax)

/** An address that no browser can open stays as it was written, because nothing can be redirected to it. */
const isTracked = (url: string): boolean => /^https?:/i.test(url) && url.length <= 2048 && URL.canParse(url)

/** The text of HTML that is too much for a parser. */
const textBetweenTags = (html: string): string => html.replaceAll(/<[^<>]{0,1000}>/g, ' ')

/**
 * The safe form of a body that somebody wrote. HTML with too many elements is given up: `bodyHtml` is null, and the text is that
 * between its tags. Runs in a worker thread.
 */
export function cleanMail({ bodyHtml, bodyText }: MailBody): CleanMail {
  if (bodyHtml === null) return { bodyHtml: null, bodyText: boundedText(bodyText ?? ''), linkedHtml: null, links: [] }
  const html = bodyHtml.slice(0, outputMax)
  const cleaned = cleanHtml(html)
  if ('problem' in cleaned) {
    const text = boundedText(bodyText ?? textBetweenTags(html))
    return { bodyHtml: null, bodyText: text, linkedHtml: null, links: [], problem: cleaned.problem }
  }
  const clean = cleaned.html
  const links: string[] = []
  const linkedHtml = htmlWithLinks(clean, (url) => {
    if (!isTracked(url) || links.length >= linksMax) return url
    return linkPlace(links.push(url) - 1)
  })
  return { bodyHtml: clean, bodyText: boundedText(bodyText ?? textOfHtml(clean)), linkedHtml, links }
}
