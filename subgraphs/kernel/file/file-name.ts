/** What would make a name a path, break a line, or hide its ending by the direction of text. */
const unfit = /[/\\\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|^\.+$/gu

/** The name of a file as another program gets it. */
export const fileName = (given: string): string => given.replaceAll(unfit, '_').toWellFormed()
