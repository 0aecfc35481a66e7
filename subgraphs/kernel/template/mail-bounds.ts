// What a process needs to know of mails that worker threads clean, without loading the parsers of HTML.

/** Elements inside one another that a body may have. Mails of common programs have fewer than a hundred. */
export const htmlDepthMax = 500

/** Elements that a body may have. The parser takes more than a second for a million characters of the worst elements. */
export const htmlElementsMax = 50_000

/** Why HTML is not stored. The message continues a sentence that begins with the name of the field. */
export interface HtmlProblem {
  readonly code: string
  readonly message: string
}

export const tooDeep: HtmlProblem = {
  code: 'TOO_DEEP',
  message: `must have at most ${htmlDepthMax} elements inside one another.`,
}

export const tooManyElements: HtmlProblem = {
  code: 'TOO_MANY',
  message: `must have at most ${htmlElementsMax.toLocaleString('en')} elements.`,
}

/** Characters of sanitised HTML, in which `<` and `&` are written as entities. */
export const cleanLengthMax = 2_000_000

export const tooLongWhenClean: HtmlProblem = {
  code: 'TOO_LONG',
  message: `must have at most ${cleanLengthMax.toLocaleString('en')} characters when it is sanitised.`,
}

/** Maximum number of links whose clicks are counted; further links lead to their targets directly. */
export const linksMax = 200

/** The address in the place of a link. No mail contains it, because the name cannot exist (RFC 2606). */
export const linkPlace = (index: number): string => `https://link-${index}.invalid/`
