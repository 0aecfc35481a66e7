// What a process needs to know of mails that worker threads clean, without loading the parsers of HTML.

/** Elements inside one another that a body may have. Mails of common programs have fewer than a hundred. */
export const htmlDepthMax = 500

export const tooDeep = `must have at most ${htmlDepthMax} elements inside one another.`

/** Maximum number of links whose clicks are counted; further links lead to their targets directly. */
export const linksMax = 200

/** The address in the place of a link. No mail contains it, because the name cannot exist (RFC 2606). */
export const linkPlace = (index: number): string => `https://link-${index}.invalid/`
