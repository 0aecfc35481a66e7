import { beforeEach, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { appFiles, aSlot, aSlug, fieldFile, publish, refusedWith, writtenApps } from './app-packages.fixture.ts'

const platform = usePlatform()
let owner: Member
let slug: string

beforeEach(async () => {
  slug = aSlug()
  owner = await platform.member({ role: 'OWNER' })
})

describe('appPublish', () => {
  it('tells what is wrong with the project, and writes nothing', async () => {
    const before = await writtenApps(platform)
    const { 'app.json': _manifest, ...withoutManifest } = appFiles()
    const only = (manifest: object) => ({ 'app.json': appFiles(manifest)['app.json']! })
    const cases: readonly (readonly [files: Record<string, string>, problem: string])[] = [
      [withoutManifest, 'app.json  REQUIRED'],
      [only({ slug }), 'app.json  EMPTY'],
      [only({ slug, slots: [aSlot, aSlot] }), 'app.json slots.1.key NOT_UNIQUE'],
      [only({ slug, unlisted: 1 }), 'app.json unlisted UNKNOWN_FIELD'],
      [{ ...appFiles({ slug }), 'destructiveChanges.json': '{"delete": []}' }, 'destructiveChanges.json  NOT_ALLOWED'],
      [{ ...appFiles({ slug }), [fieldFile]: '{"entity": 1}' }, `${fieldFile} `],
      [{ ...appFiles({ slug }), 'src/other.txt': 'a' }, 'src/other.txt  WRONG_PATH'],
    ]
    for (const [files, problem] of cases) {
      const refused = await publish(owner, files)
      expect(refusedWith(refused)).toContain(`400 VALIDATION_FAILED; ${problem}`)
    }
    expect(await writtenApps(platform)).toEqual(before)
  })

  it.each([
    ['deep JSON', `{"slug": ${'['.repeat(100_000)}`, ' TOO_DEEP'],
    ['__proto__', '{"__proto__": {"slug": "a"}}', ' NOT_ALLOWED'],
    ['no JSON', '{', ' INVALID_JSON'],
    ['no object', '[]', ' WRONG_TYPE'],
    ['a NUL character', '{"name": "\\u0000"}', ' NOT_TEXT'],
    ['very many scopes', JSON.stringify({ scopes: Array.from({ length: 50_000 }, (_, at) => `S${at}`) }), 'scopes '],
    ['very many slots', JSON.stringify({ slots: Array.from({ length: 50_000 }, () => ({})) }), 'slots TOO_MANY'],
  ])('refuses a manifest with %s at once', async (_name, text, problem) => {
    const before = await writtenApps(platform)
    const begunAt = performance.now()
    const refused = await publish(owner, { ...appFiles(), 'app.json': text })
    expect(performance.now() - begunAt).toBeLessThan(5_000)
    expect(refusedWith(refused)).toMatch(/^400 VALIDATION_FAILED/)
    expect(refusedWith(refused)).toContain(`app.json ${problem}`)
    expect(await writtenApps(platform)).toEqual(before)
  })

  it.each([
    [
      'a pattern that may take long',
      { properties: { a: { type: 'string', pattern: '(?<=a)b' } } },
      'properties.a.pattern',
    ],
    ['a reference', { $ref: '#' }, '$ref'],
    ['names of JavaScript', { properties: { constructor: {} } }, 'properties.constructor'],
    ['another type', { type: 'array' }, 'type'],
    ['an unknown keyword', { if: {} }, 'if'],
  ])('refuses a schema of settings with %s', async (_name, schema, path) => {
    const refused = await publish(owner, appFiles({ slug, settingsSchema: { type: 'object', ...schema } }))
    expect(refusedWith(refused)).toContain(`400 VALIDATION_FAILED; app.json settingsSchema.${path} `)
  })
})
