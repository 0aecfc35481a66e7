import { describe, expect, it } from 'vitest'
import { decodedName, encodedName } from '../../kernel/metadata/file-name.ts'
import { normalizedPath } from './source-files.ts'

describe('a path of a project', () => {
  it('has slashes, also from Windows, and composed characters', () => {
    expect(normalizedPath('src\\objects\\a.json')).toBe('src/objects/a.json')
    expect(normalizedPath('./src/./a.json')).toBe('src/a.json')
    expect(normalizedPath('src/u\u0308.json')).toBe('src/\u00fc.json')
  })

  it.each([
    '',
    '/etc/passwd',
    '../a',
    'a/../../b',
    'a\\..\\b',
    'C:\\a',
    'c:a',
    'a//b',
    'a/',
    'a\0b',
    'a\nb',
    '\ud800',
    'a'.repeat(256),
  ])('is refused if it leaves the project or is none: %j', (path) => expect(normalizedPath(path)).toBeNull())
})

describe('the name of a file', () => {
  it.each([
    'tier',
    'Margin too low',
    'custom:site_visit.a/b',
    'a\\b',
    '50% off?',
    '.hidden',
    'end.',
    '*"<>|',
    'ü',
    '%41',
    '\u0085',
  ])('has the name of each component: %j', (name) => {
    const encoded = encodedName(name)
    expect(encoded).not.toMatch(/[<>:"/\\|?*\p{Cc}]|^\.|[. ]$/u)
    expect(decodedName(encoded)).toBe(name)
  })

  it('may be written without encoding', () => {
    expect(decodedName('custom:site_visit.x')).toBe('custom:site_visit.x')
    expect(decodedName('50% off')).toBe('50% off')
    expect(decodedName('%ff')).toBeNull()
  })
})
