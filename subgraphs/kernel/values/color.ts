/** The colour of buttons of an organization that has set none. */
export const usualColor = '#1f4e79'

/** Share of full light of a channel of sRGB (WCAG 2.2, relative luminance). */
function light(channel: number): number {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** Black or white, whichever is easier to read on a colour such as `#1f4e79`. */
export function textOn(color: string): '#000000' | '#ffffff' {
  const [red, green, blue] = [1, 3, 5].map((at) => light(Number.parseInt(color.slice(at, at + 2), 16))) as [
    number,
    number,
    number,
  ]
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // The contrast with black is (luminance + 0.05) / 0.05, and with white 1.05 / (luminance + 0.05).
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? '#000000' : '#ffffff'
}
