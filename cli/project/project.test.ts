import { describe, expect, it } from 'vitest'
import { signatureHeaders as platformHeaders } from '../../subgraphs/events/delivery/signature.ts'
import { MetadataSchemaType } from '../../subgraphs/extensions/metadata/metadata-type.ts'
import { statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { metadataComponents } from '../../subgraphs/kernel/metadata/component.ts'
import '../../subgraphs/all.ts'
import { outcomeOf } from '../api.ts'
import { plain, plainLine } from '../plain.ts'
import { signatureHeaders } from '../signature.ts'
import { differences, withoutDefaults } from './comparison.ts'
import { fileKinds, typeOfFile } from './file-kinds.ts'
import { positionOf, syntaxProblem } from './position.ts'
import { samePath } from './project.ts'

describe('positionOf', () => {
  const text = '{\n  "name": "x",\n  "fields": [\n    { "a.b": 1 },\n    { "type": "TXT" }\n  ]\n}\n'

  it.each([
    ['', 1, 1],
    ['name', 2, 11],
    ['fields', 3, 13],
    ['fields.0.a.b', 4, 14],
    ['fields.1.type', 5, 15],
    ['fields.1.nothing', 5, 5],
    ['fields.7', 3, 13],
    ['nothing', 1, 1],
  ])('of %j is line %i, column %i', (path, line, column) => {
    expect(positionOf(text, path)).toEqual({ line, column })
  })

  it('of wrong JSON is where it is wrong', () => {
    expect(positionOf('{\n  "a": 1,\n}', 'a')).toEqual({ line: 3, column: 1 })
    expect(positionOf('', '')).toEqual({ line: 1, column: 1 })
    expect(syntaxProblem('{ "a" 1 }')).toContain('line 1, column 7')
    expect(syntaxProblem('{ "a": 1 }')).toBeNull()
  })
})

describe('differences', () => {
  const schema = {
    properties: {
      name: {},
      isOn: { default: true },
      list: { default: [] },
      order: { 'x-computed-default': true },
      fields: { items: { properties: { name: {}, required: { default: false } } } },
    },
  }
  const file = (value: unknown) => ({ 'src/a.json': JSON.stringify(value) })
  const compared = (here: unknown, there: unknown) => differences(file(here), file(there), () => schema)

  it.each([
    [{ name: 'a' }, { name: 'a', isOn: true, list: [], order: 3 }],
    [
      { $schema: 'https://x', name: 'a', isOn: null },
      { isOn: true, name: 'a' },
    ],
    [{ fields: [{ name: 'b', required: false }] }, { fields: [{ name: 'b' }] }],
    [{ name: { x: 1, y: 2 } }, { name: { y: 2, x: 1 } }],
  ])('has none between %j and %j', (here, there) => {
    expect(compared(here, there)).toEqual([])
  })

  it.each([
    [{ name: 'a' }, { name: 'a', isOn: false }],
    [{ order: 1 }, { order: 2 }],
    [{ fields: [{ name: 'b' }] }, { fields: [{ name: 'b', required: true }] }],
  ])('has some between %j and %j', (here, there) => {
    expect(compared(here, there).map(({ change }) => change)).toEqual(['DIFFERENT'])
  })

  it('takes the paths of one file for one, and names what only one side has', () => {
    const here = { 'src/hooks/custom:a.b.hook.json': '{}', 'src/c/index.ts': 'x' }
    const there = { 'src/hooks/custom%3Aa.b.hook.json': '{}', 'src/d/index.ts': 'y' }
    expect(differences(here, there, () => ({})).map(({ path, change }) => [path, change])).toEqual([
      ['src/c/index.ts', 'ONLY_HERE'],
      ['src/d/index.ts', 'ONLY_IN_ORGANIZATION'],
    ])
    expect(samePath('100%')).toBe('100%')
  })

  it('leaves properties that the schema does not know', () => {
    expect(withoutDefaults({ z: 1, name: 'a' }, schema)).toEqual({ name: 'a', z: 1 })
  })
})

describe('what the command line knows of the platform', () => {
  it('is every kind of file with its place', () => {
    const { PROJECT, DESTRUCTIVE_CHANGES, APP, ...components } = MetadataSchemaType
    expect([PROJECT, DESTRUCTIVE_CHANGES, APP]).toEqual(['PROJECT', 'DESTRUCTIVE_CHANGES', 'APP'])
    expect(fileKinds.map(({ type }) => type).toSorted()).toEqual(Object.keys(components).toSorted())
    for (const { type, pathOf } of metadataComponents()) expect(typeOfFile(pathOf('ACCOUNT.a'))).toBe(type)
  })

  it('is which codes are failures of the server, also in an answer with 200', () => {
    for (const [code, status] of Object.entries(statusOfCode))
      expect([code, outcomeOf(200, code) === 'unreachable']).toEqual([code, status >= 500])
  })

  it.each(['whsec_c2VjcmV0', 'secret'])('is how webhooks are signed with %s', (secret) => {
    const now = new Date('2026-11-02T08:15:00.123Z')
    const body = '{"type":"lead.created","name":"Ås"}'
    expect(signatureHeaders(secret, 'evt_1', body, now)).toEqual(
      platformHeaders({ eventId: 'evt_1', body: Buffer.from(body), now }, [secret]),
    )
  })
})

it('shows no control characters of others', () => {
  expect(plain('a\u001B[31mb\u001B]0;title\u0007\u009B2Jc\r\u202Ed\n\te')).toBe('abcd\n\te')
  expect(plainLine(' a\n\n b ')).toBe('a b')
})
