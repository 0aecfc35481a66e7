import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as fontkit from 'fontkit'
import { sfntOfWoff } from './woff.ts'

const require = createRequire(import.meta.url)

/** DejaVu Sans has Latin, Greek, Cyrillic, Arabic and Hebrew; the fallback nearly every other character, such as Chinese and Korean. */
const files = {
  regular: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
  fallback: '@fontsource/unifontex/files/unifontex-latin-400-normal.woff',
} as const

export type FontName = keyof typeof files
export type Style = 'regular' | 'bold'

const loaded = new Map<FontName, { readonly bytes: Buffer; readonly font: fontkit.Font }>()

function load(name: FontName) {
  let known = loaded.get(name)
  if (!known) {
    const file = readFileSync(require.resolve(files[name]))
    const bytes = files[name].endsWith('.woff') ? sfntOfWoff(file) : file
    known = { bytes, font: fontkit.create(bytes) as fontkit.Font }
    loaded.set(name, known)
  }
  return known
}

/** The TrueType file of the font, read once. */
export const fontBytes = (name: FontName): Buffer => load(name).bytes

/** The font that has a glyph for the character. */
export function fontFor(character: string, style: Style): FontName {
  const code = character.codePointAt(0)!
  return code < 0x250 || load(style).font.hasGlyphForCodePoint(code) ? style : 'fallback'
}
