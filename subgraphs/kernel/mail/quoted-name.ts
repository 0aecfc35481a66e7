const shownMax = 40

/** URLs, domains, email addresses and telephone numbers: an attacker could use them to lead the reader to another site. */
const contactDetails = /[@/\\]|www|[\p{L}\p{N}-][.\u3002][\p{L}\p{N}]{2,}|\d(?:[\s().-]*\d){5,}/iu

/**
 * A name that another user has chosen, as one short line for the text of a mail. Null when the name is empty or contains a URL, an email address
 * or a telephone number.
 */
export function shownName(name: string): string | null {
  const text = name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Z}\s"“”„«»]+/gu, ' ')
    .trim()
  if (text === '' || contactDetails.test(text)) return null
  const characters = Array.from(text)
  return characters.length > shownMax ? `${characters.slice(0, shownMax).join('')}…` : text
}

/** Lines of an address, each so changed that a mail program makes no link of it. */
export const shownAddress = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const text = line
      .normalize('NFKC')
      .replaceAll(/[\p{C}\p{Z}\s@\\]+|:\/\//gu, ' ')
      .replaceAll(/(?<=[.\u3002])(?=\S)/gu, ' ')
      .trim()
    return text === '' ? [] : [text.slice(0, 100)]
  })

/** As `shownName`, in quotation marks. */
export function quotedName(name: string): string | null {
  const text = shownName(name)
  return text && `“${text}”`
}
