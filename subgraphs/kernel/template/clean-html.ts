import { convert } from 'html-to-text'
import sanitizeHtml from 'sanitize-html'
import {
  cleanLengthMax,
  htmlDepthMax,
  htmlElementsMax,
  tooDeep,
  tooLongWhenClean,
  tooManyElements,
  type HtmlProblem,
} from './mail-bounds.ts'

/** A style value without functions, except colours, and without characters that leave the declaration. */
const styleValue = /^(?:[\w\s#%.,'"!+-]{1,200}|rgba?\([\d\s.,%]{1,40}\))$/

const styles = [
  'background-color',
  'border',
  'border-bottom',
  'border-collapse',
  'border-color',
  'border-left',
  'border-radius',
  'border-right',
  'border-spacing',
  'border-style',
  'border-top',
  'border-width',
  'color',
  'display',
  'font',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'height',
  'letter-spacing',
  'line-height',
  'list-style',
  'margin',
  'margin-bottom',
  'margin-left',
  'margin-right',
  'margin-top',
  'max-width',
  'min-width',
  'padding',
  'padding-bottom',
  'padding-left',
  'padding-right',
  'padding-top',
  'text-align',
  'text-decoration',
  'text-transform',
  'vertical-align',
  'white-space',
  'width',
  'word-break',
]

/** Elements whose text no mail program shows as the body: those of the head, those shown only instead of others, and the settings of Office. */
const withoutText = [
  'applet',
  'audio',
  'canvas',
  'iframe',
  'math',
  'noembed',
  'noframes',
  'noscript',
  'object',
  'option',
  'script',
  'style',
  'svg',
  'template',
  'textarea',
  'title',
  'video',
  'xml',
  'xmp',
]

const options: sanitizeHtml.IOptions = {
  nonTextTags: withoutText,
  allowedTags: [
    'a',
    'abbr',
    'b',
    'blockquote',
    'br',
    'caption',
    'center',
    'code',
    'col',
    'colgroup',
    'dd',
    'del',
    'div',
    'dl',
    'dt',
    'em',
    'font',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'img',
    'ins',
    'li',
    'ol',
    'p',
    'pre',
    'q',
    's',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'table',
    'tbody',
    'td',
    'tfoot',
    'th',
    'thead',
    'tr',
    'u',
    'ul',
  ],
  allowedAttributes: {
    '*': ['align', 'bgcolor', 'dir', 'height', 'lang', 'style', 'title', 'valign', 'width'],
    a: ['href', 'name'],
    font: ['color', 'face', 'size'],
    img: ['alt', 'src'],
    table: ['border', 'cellpadding', 'cellspacing'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid'] },
  allowProtocolRelative: false,
  allowedStyles: { '*': Object.fromEntries(styles.map((name) => [name, [styleValue]])) },
  nestingLimit: 50,
}

class Unfit extends Error {
  readonly problem: HtmlProblem

  constructor(problem: HtmlProblem) {
    super(problem.code)
    this.problem = problem
  }
}

/**
 * HTML without scripts, forms, frames, styles that leave their place, and addresses other than web, mail and telephone; or why it is refused.
 * Sanitising takes time that grows with the square of the depth, so it stops at the first element too many. The sanitiser's own parser counts,
 * because two parsers do not see the same elements.
 */
export function cleanHtml(html: string): { readonly html: string } | { readonly problem: HtmlProblem } {
  let depth = 0
  let elements = 0
  const onOpenTag = (): void => {
    if (++depth > htmlDepthMax) throw new Unfit(tooDeep)
    if (++elements > htmlElementsMax) throw new Unfit(tooManyElements)
  }
  try {
    const clean = sanitizeHtml(html, { ...options, onOpenTag, onCloseTag: () => void depth-- })
    return clean.length > cleanLengthMax ? { problem: tooLongWhenClean } : { html: clean }
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.problem }
    throw error
  }
}

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

/** The text alternative of HTML: links with their addresses, without images. */
export const textOfHtml = (html: string): string =>
  convert(html, {
    wordwrap: false,
    limits: { maxInputLength: cleanLengthMax, maxDepth: 100, maxChildNodes: 20_000 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', format: 'block' },
    ],
  })

/** Clean HTML whose links are replaced. */
export const htmlWithLinks = (html: string, linkOf: (url: string) => string): string =>
  sanitizeHtml(html, {
    ...options,
    transformTags: {
      a: (tagName, attributes) => ({
        tagName,
        attribs: attributes['href'] === undefined ? attributes : { ...attributes, href: linkOf(attributes['href']) },
      }),
    },
  })
