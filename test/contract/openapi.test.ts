import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { loadContract } from '../../rest-adapter/contract.ts'
import { methods, resolve, type Schema } from '../../rest-adapter/openapi.ts'
import '../../subgraphs/all.ts'
import { isErrorCode, statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { titleOfCode } from '../../gateway/edge/titles.ts'
import { presentButNotRequired } from './always-present.ts'
import { faultFinder } from './json-schemas.ts'

const { document, operations } = loadContract('schema/rest')
const { apiSchema } = new LoadedSupergraph(readFileSync('schema/supergraph.graphql', 'utf8'))
const schemas = document.components['schemas'] as Readonly<Record<string, Schema>>

interface Media {
  readonly schema: Schema
  readonly example?: unknown
}

const faultsOf = faultFinder(document)

/** The JSON bodies; a file has no example. */
const mediaOf = (content: unknown): Media[] =>
  Object.entries((content ?? {}) as Record<string, Media>).flatMap(([type, media]) =>
    type === 'application/pdf' ? [] : [media],
  )

const examples = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method]
    if (!operation) return []
    const body = mediaOf(operation.requestBody?.content).map((media) => [`${method} ${path} body`, media] as const)
    const responses = Object.entries(operation.responses).flatMap(([status, response]) =>
      mediaOf(resolve<{ content?: unknown }>(document, response).content).map(
        (media) => [`${method} ${path} ${status}`, media] as const,
      ),
    )
    return [...body, ...responses]
  }),
)

/** Every property of a schema, also of nested ones that have no name, by its dotted path. */
function propertiesOf(schema: Schema, at: string): [path: string, property: Schema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]): [string, Schema][] => [
    [`${at}.${name}`, property],
    ...propertiesOf(property, `${at}.${name}`),
  ])
  return schema.items ? [...own, ...propertiesOf(schema.items, `${at}[]`)] : own
}

const properties = Object.entries(schemas).flatMap(([name, schema]) => propertiesOf(schema, name))
const described = (schema: Schema): boolean =>
  Boolean(schema['description'] ?? resolve<Schema>(document, schema)['description'])

/** Every schema of a part of the document that has an example, by its place. */
const schemasWithExample = (part: unknown, at = ''): [place: string, schema: Schema][] => {
  if (typeof part !== 'object' || part === null) return []
  const inner = Object.entries(part).flatMap(([key, value]) =>
    key === 'example' ? [] : schemasWithExample(value, `${at}/${key}`),
  )
  return 'example' in part && 'type' in part ? [[at, part as Schema], ...inner] : inner
}

/** Every reference in a part of the document. */
const referencesIn = (part: unknown): string[] =>
  Object.entries((part ?? {}) as object).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' ? referencesIn(value) : key === '$ref' ? [value as string] : [],
  )

describe('the OpenAPI document', () => {
  it('refers to whole components only, because generators name types after them', () => {
    const references = referencesIn(document)
    expect(references).toContain('#/components/schemas/Account')
    expect(references.filter((reference) => !/^#\/components\/\w+\/[^/]+$/.test(reference))).toEqual([])
  })

  it('has a valid example for every body and every response', () => {
    const faulty = examples.map(
      ([place, { schema, example }]) =>
        [place, example === undefined ? ['has no example'] : faultsOf(schema, example)] as const,
    )
    expect(faulty.filter(([, faults]) => faults.length > 0)).toEqual([])
  })

  it('has only examples of properties and parameters that their schemas accept', () => {
    const faulty = schemasWithExample(document.paths)
      .concat(schemasWithExample(schemas))
      .map(([place, schema]) => [place, faultsOf(schema, schema['example'])] as const)
    expect(faulty.length).toBeGreaterThan(1_000)
    expect(faulty.filter(([, faults]) => faults.length > 0)).toEqual([])
  })

  it('has an example of every property, except those that are null in it', () => {
    const absent = examples.flatMap(([place, { schema, example }]) => {
      const target = resolve<Schema>(document, schema)
      const known = typeof example === 'object' && example !== null ? Object.keys(example) : []
      const isResponse = / 2\d\d$/.test(place)
      const own = Object.entries(target.properties ?? {}).filter(([, property]) => !property['x-expandable'])
      return isResponse ? own.flatMap(([name]) => (known.includes(name) ? [] : [`${place} ${name}`])) : []
    })
    expect(absent).toEqual([])
  })

  it('has only problems that the platform answers as examples of refusals', () => {
    const faulty = examples.filter(([place, { example }]) => {
      const [, refused] = / ([45]\d\d)$/.exec(place) ?? []
      if (!refused) return false
      const { code, status, title, type } = example as Record<string, unknown>
      const isKnown = isErrorCode(code) && status === statusOfCode[code] && title === titleOfCode[code]
      return !isKnown || status !== Number(refused) || type !== `/errors/${code.toLowerCase().replaceAll('_', '-')}`
    })
    expect(faulty.map(([place]) => place)).toEqual([])
  })

  it('describes every schema and every property', () => {
    const without = [...Object.entries(schemas), ...properties].filter(([, schema]) => !described(schema))
    expect(without.map(([path]) => path)).toEqual([])
  })

  // `description: a, b.` in a YAML flow mapping makes a key of the text after the comma.
  it('has only names as keys of properties, and no keyword without a value', () => {
    const keys = [...Object.entries(schemas), ...properties].flatMap(([path, schema]) =>
      Object.entries(schema).flatMap(([keyword, value]) =>
        /^[$\w-]+$/.test(keyword) && (value !== null || keyword === 'example') ? [] : [`${path}: ${keyword}`],
      ),
    )
    const names = properties.filter(([path]) => !/^[\w.[\]]+$/.test(path)).map(([path]) => path)
    expect([...keys, ...names]).toEqual([])
  })

  it.each(
    operations
      .filter(
        ({ document: stored, id, documentId, success }) =>
          stored && id === documentId && success.hasBody && !success.fileType && !success.isStream,
      )
      .map((operation) => [operation.id, operation] as const),
  )('%s: requires every property that is in every response', (_, operation) => {
    expect(presentButNotRequired(document, apiSchema, operation)).toEqual([])
  })

  it('names what each operation needs', () => {
    const needs = (path: string, method: 'get' | 'post'): string =>
      /Needs .*$/s.exec(document.paths[path]![method]!.description!)![0]
    expect({
      accountList: needs('/v1/accounts', 'get'),
      companyCreate: needs('/v1/companies', 'post'),
      apiKeyCreate: needs('/v1/api-keys', 'post'),
      authLogin: needs('/v1/auth/login', 'post'),
      userList: needs('/v1/admin/users', 'get'),
    }).toEqual({
      accountList: 'Needs READ_ACCOUNTS.',
      companyCreate: 'Needs WRITE_ACCOUNTS.',
      apiKeyCreate: 'Needs a session.',
      authLogin: 'Needs no credential.',
      userList: 'Needs a session. Only for users with the role OWNER or ADMIN.',
    })
    const silent = Object.values(document.paths).flatMap((item) =>
      methods.flatMap((method) =>
        /Needs /.test(item[method]?.description ?? 'Needs ') ? [] : item[method]!.operationId,
      ),
    )
    expect(silent).toEqual([])
  })

  it('names the scopes of apps', () => {
    const scopesOf = (path: string) =>
      document.paths[path]!.get!.security!.flatMap((scheme) => ('oauth2' in scheme ? [scheme['oauth2']] : []))
    expect(scopesOf('/v1/accounts')).toEqual([['READ_ACCOUNTS']])
    expect(scopesOf('/v1/app-runtime/installation')).toEqual([[]])
    expect(scopesOf('/v1/api-usage/summary')).toEqual([])
  })

  it('begins with what API keys can call', () => {
    const withKeys = new Set(
      Object.values(document.paths).flatMap((item) =>
        methods.flatMap((method) => (item[method]?.['x-api-key-scopes'].length ? (item[method].tags ?? []) : [])),
      ),
    )
    const isForKeys = document.tags!.map(({ name }) => withKeys.has(name))
    expect(isForKeys).toEqual(isForKeys.toSorted((a, b) => Number(b) - Number(a)))
    expect(document.tags![0]!.name).toBe('Accounts')
  })

  it('has every tag in one group of the reference', () => {
    const grouped = document['x-tagGroups']!.flatMap(({ tags }) => tags)
    expect(grouped.toSorted()).toEqual(document.tags!.map(({ name }) => name).toSorted())
  })

  it('names a server, so that generated clients have a base URL', () => {
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:4000', description: expect.any(String) }])
  })
})
