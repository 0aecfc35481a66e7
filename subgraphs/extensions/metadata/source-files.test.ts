import { describe, expect, it } from 'vitest'
import type { FieldProblem, Refusal } from '../../kernel/errors.ts'
import { decodedName, encodedName } from '../../kernel/metadata/file-name.ts'
import { fileBytesMax, filesMax, sourceBytesMax } from './bounds.ts'
import { filesOfSource, normalizedPath, type GivenSource } from './source-files.ts'

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

describe('a source', () => {
  const problemsOf = async (source: GivenSource): Promise<string[]> => {
    try {
      return [`${(await filesOfSource({} as never, source)).size} files`]
    } catch (error) {
      const { errors } = (error as Refusal).extensions as { readonly errors: readonly FieldProblem[] }
      return errors.map(({ path, code }) => `${path} ${code}`)
    }
  }
  const filled = (files: number, bytes: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: files }, (_, index) => [`src/${index}`, 'x'.repeat(bytes)]))

  it('has at most 5,000 files', async () => {
    expect(filesMax).toBe(5_000)
    expect(await problemsOf({ files: filled(5_000, 1) })).toEqual(['5000 files'])
    expect(await problemsOf({ files: filled(5_001, 1) })).toEqual(['source.files TOO_MANY'])
  })

  it('has files of at most 1 MiB, in bytes of UTF-8', async () => {
    expect(fileBytesMax).toBe(1_048_576)
    expect(await problemsOf({ files: { a: 'x'.repeat(1_048_576) } })).toEqual(['1 files'])
    expect(await problemsOf({ files: { a: 'x'.repeat(1_048_577) } })).toEqual(['source.files.a TOO_LARGE'])
    expect(await problemsOf({ files: { a: '\u00fc'.repeat(524_289) } })).toEqual(['source.files.a TOO_LARGE'])
  })

  it('has at most 16 MiB together', async () => {
    expect(sourceBytesMax).toBe(16_777_216)
    expect(await problemsOf({ files: filled(16, 1_048_576) })).toEqual(['16 files'])
    expect(await problemsOf({ files: { ...filled(16, 1_048_576), a: 'x' } })).toEqual(['source.files TOO_LARGE'])
  })

  it('is an archive of at most 16 MiB', async () => {
    const zip = Buffer.alloc(16_777_217).toString('base64')
    expect(await problemsOf({ zip })).toEqual(['source.zip TOO_LARGE'])
  })
})
