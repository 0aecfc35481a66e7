const shownMax = 40

/** Addresses, also without a scheme, and telephone numbers: what a reader is led away by. */
const leadsAway = /[@/\\]|www|[\p{L}\p{N}-][.\u3002][\p{L}\p{N}]{2,}|\d(?:[\s().-]*\d){5,}/iu

/**
 * A name that somebody else chose, for the text of a mail: one short line in quotation marks. Null for what is more than a
 * name, such as an address to visit or a number to call.
 */
export function quotedName(name: string): string | null {
  const text = name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Z}\s"“”„«»]+/gu, ' ')
    .trim()
  if (text === '' || leadsAway.test(text)) return null
  const characters = Array.from(text)
  return `“${characters.length > shownMax ? `${characters.slice(0, shownMax).join('')}…` : text}”`
}
