/** `an account`, `a product`. */
export const withArticle = (words: string): string => `${/^[aeio]/i.test(words) ? 'an' : 'a'} ${words}`

/** At the beginning of a sentence: `An account`. */
export const startWithArticle = (words: string): string => withArticle(words).replace(/^a/, 'A')
