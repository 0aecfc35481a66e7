import { readFileSync } from 'node:fs'
import createFetchClient from 'openapi-fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { GeneratedFolder, withTypeScript5 } from './generators.ts'
import { sources } from './sources.ts'

// Each generator runs as its users run it: its command with the address of a real server, the TypeScript compiler, and then requests.

const guide = readFileSync(new URL('../../gateway/pages/guides/generated-clients.md', import.meta.url), 'utf8')
type Codegen = { readonly generates: Readonly<Record<string, object>> }
type Possible = { readonly possibleTypes: Readonly<Record<string, readonly string[]>> }

const platform = usePlatform()
let member: Member
let folder: GeneratedFolder
let problems: string

beforeAll(async () => {
  member = await platform.member()
  folder = await GeneratedFolder.create()
  const openapi = `${platform.url}/openapi.json`
  for (const [name, text] of Object.entries(sources)) await folder.write(name, text)

  const schema = await fetch(`${platform.url}/schema.graphql`, { headers: member.headers })
  await folder.write('schema.graphql', await schema.text())
  const endpoint = { [`${platform.url}/v1/graphql`]: { headers: member.headers } }
  const preset = { preset: 'client', documents: 'codegen/documents.ts', config: { useTypeImports: true } }
  const inGuide = JSON.parse(/```json\n(\{[\s\S]*?)```/.exec(guide)![1]!) as Codegen
  const codegen = {
    generates: {
      'codegen/generated/': { ...preset, schema: [endpoint] },
      'codegen/from-file/': { ...preset, schema: 'schema.graphql' },
      'codegen/guide/': { ...inGuide.generates['src/graphql/'], documents: preset.documents },
      'codegen/possible-types.json': inGuide.generates['src/possible-types.json'],
    },
  }
  await folder.write('codegen.json', JSON.stringify(codegen))
  const output = (client: string) => ({ target: `orval/${client}.ts`, client, baseUrl: platform.url })
  const orval = {
    fetch: { input: openapi, output: output('fetch') },
    axios: { input: openapi, output: output('axios') },
    zod: { input: openapi, output: output('zod') },
    query: { input: openapi, output: { ...output('react-query'), mock: true } },
  }
  await folder.write('orval.config.mjs', `export default ${JSON.stringify(orval)}`)
  // Release 7 reads its configuration with `require`, so `export default` would be one project.
  const orval7 = { fetch: { input: openapi, output: { ...output('fetch'), target: 'orval7/fetch.ts' } } }
  await folder.write('orval7.config.cjs', `module.exports = ${JSON.stringify(orval7)}`)

  // One after the other: a generator gives up on a document that it cannot read at once.
  await folder.generate('@graphql-codegen/cli', 'graphql-codegen', ['--config', 'codegen.json'])
  await folder.generate('openapi-typescript', 'openapi-typescript', [openapi, '-o', 'openapi-typescript.d.ts'])
  await folder.generate('orval', 'orval', ['--config', 'orval.config.mjs'])
  await folder.generate('orval7', 'orval', ['--config', 'orval7.config.cjs'])
  await folder.generate('@hey-api/openapi-ts', 'openapi-ts', ['-i', openapi, '-o', 'hey-api'], withTypeScript5)
  problems = await folder.problems(...Object.keys(sources), 'codegen/from-file/index.ts')
}, 300_000)
afterAll(() => folder.remove())

/** The problems of the compiler in the files of one generator. */
const problemsIn = (prefix: string): string[] => problems.split('\n').filter((line) => line.startsWith(prefix))

interface Account {
  readonly id: string
  readonly name: string
}

describe('graphql-codegen with the client preset', () => {
  it('generates documents that compile, from the server and from /schema.graphql', () => {
    expect(problemsIn('codegen/')).toEqual([])
  })

  it('generates numbers and texts for scalars, and the possible types of unions, with the configuration of the guide', async () => {
    const types = await folder.read('codegen/guide/graphql.ts')
    expect(types).toContain('annualRevenue: number | null')
    const { possibleTypes } = JSON.parse(await folder.read('codegen/possible-types.json')) as Possible
    expect(possibleTypes['RelatedTo']).toContain('Opportunity')
    expect(Object.keys(possibleTypes)).toEqual(['FileRelatedTo', 'Node', 'RelatedTo', 'TimelineRecord'])
  })

  it('generates documents that the server answers', async () => {
    const { accounts } = await folder.load<{ accounts: object }>('codegen/documents.ts')
    const { print } = await import('graphql')
    const { body } = await member.graphql(print(accounts as never), { direction: 'ASC' })
    expect(body).toEqual({ data: { accountList: { data: expect.any(Array) } } })
  })
})

describe('openapi-typescript', () => {
  it('generates types with which openapi-fetch compiles', () => {
    expect(problemsIn('openapi-typescript')).toEqual([])
  })

  it('lets openapi-fetch call the API', async () => {
    const client = createFetchClient({ baseUrl: platform.url, headers: member.headers })
    const created = await client.POST('/v1/accounts' as never, { body: { name: 'By openapi-fetch' } } as never)
    expect(created.data).toMatchObject({ name: 'By openapi-fetch', version: 1 })
  })
})

describe.each(['orval', 'orval7'])('%s', (release) => {
  it('generates code that compiles', () => {
    expect(problemsIn(`${release}/`)).toEqual([])
  })

  it('generates code that calls the API', async () => {
    type Call = (...args: unknown[]) => Promise<{ status: number; data: { data: Account[] } & Account }>
    const { accountCreate, accountList } = await folder.load<Record<string, Call>>(`${release}/fetch.ts`)
    const created = await accountCreate!({ name: `By ${release}` }, { headers: member.headers })
    const { status, data } = await accountList!({ search: release }, { headers: member.headers })
    expect([created.status, status, data.data.map(({ id }) => id)]).toEqual([201, 200, [created.data.id]])
  })
})

describe('@hey-api/openapi-ts', () => {
  it('generates code that compiles', () => {
    expect(problemsIn('hey-api')).toEqual([])
  })

  it('generates code that knows the address of the server and calls the API', async () => {
    const { client } = await folder.load<{ client: { getConfig(): object } }>('hey-api/client.gen.ts')
    expect(client.getConfig()).toMatchObject({ baseUrl: platform.url })
    type Call = (options: object) => Promise<{ data: { data: Account[] } & Account }>
    const { accountCreate, accountList } = await folder.load<Record<string, Call>>('hey-api/index.ts')
    const created = await accountCreate!({ body: { name: 'By hey-api' }, headers: member.headers })
    const listed = await accountList!({ query: { search: 'hey-api' }, headers: member.headers })
    expect(listed.data.data.map(({ id }) => id)).toEqual([created.data.id])
  })
})

it('leaves no problem of the compiler unchecked', () => {
  expect(problems).toBe('')
})
