/** Characters that change the direction or the visibility of the text around them, so that a page would not show what it says. */
const invisible = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ud800-\udfff]/gu

/** The text as it is printed: without control characters, at most `max` characters, the last of them an ellipsis if it is cut. */
export function printable(text: string, max: number): string {
  const clean = text
    .slice(0, max * 4)
    .replaceAll(/\r\n?|\u2028|\u2029/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(invisible, '')
    .replaceAll(control, '')
    .normalize('NFC')
    .trim()
  const characters = Array.from(clean)
  const isCut = characters.length > max || text.length > max * 4
  return isCut ? `${characters.slice(0, max - 1).join('')}…` : clean
}
