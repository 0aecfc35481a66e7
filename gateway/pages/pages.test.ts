import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import { errorTypeOf, statusOfCode, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import { titleOfCode } from '../edge/titles.ts'
import { siteDirectory } from './assets.ts'
import { guides } from './guides.ts'
import { serveFixture, type Fixture } from './pages.fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await serveFixture()
})
afterAll(() => fixture.close())

const asBrowser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

async function assetOf(page: string, ending: string): Promise<string> {
  const html = await (await fetch(fixture.origin + page, { headers: asBrowser })).text()
  const path = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)]
    .map((match) => match[1]!)
    .find((found) => found.endsWith(ending))
  return fixture.origin + path
}

describe('pages', () => {
  it.each([
    ['/', "default-src 'none'; style-src 'self'; img-src 'self'"],
    ['/errors', "default-src 'none'; style-src 'self'; img-src 'self'"],
    ['/docs/guides', "default-src 'none'; style-src 'self'; img-src 'self'"],
    ['/docs', "script-src 'self'; connect-src 'self'; img-src 'self' data:"],
    ['/graphql', "script-src 'self'; connect-src 'self'; img-src 'self' data:"],
    ['/v1/graphql', "script-src 'self'; connect-src 'self'; img-src 'self' data:"],
  ])('answers a browser at %s with a page that has a Content-Security-Policy', async (path, directives) => {
    const response = await fetch(fixture.origin + path, { headers: asBrowser })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain(directives)
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const html = await response.text()
    expect(html).not.toMatch(/<script>|https:|\{\{/)
  })

  it.each(['*/*', 'application/json', 'application/graphql-response+json, application/json;q=0.9'])(
    'leaves GET /v1/graphql and / to the API when the client accepts %s',
    async (Accept) => {
      expect((await fetch(`${fixture.origin}/v1/graphql`, { headers: { Accept } })).status).toBe(404)
      expect((await fetch(`${fixture.origin}/`, { headers: { Accept } })).status).toBe(404)
    },
  )

  it('writes the host into the landing page as text', async () => {
    const html = await (await fetch(`${fixture.origin}/`, { headers: asBrowser })).text()
    expect(html).toContain(`${fixture.origin}/v1/accounts?limit=5`)
  })

  it('does not mention the demo if there is none', async () => {
    const plain = await serveFixture({ demo: false })
    const html = await (await fetch(`${plain.origin}/docs`)).text()
    await plain.close()
    expect(html).toContain('<body data-demo="false"')
  })
})

describe('the reference', () => {
  it('has its introduction in the page, before any program is loaded', async () => {
    const introduced = await serveFixture({ demo: true, introduction: '## Lists\n\nA `limit` is at most 100.' })
    const html = await (await fetch(`${introduced.origin}/docs`)).text()
    await introduced.close()
    expect(html).toContain('<h2 id="lists">Lists</h2>\n<p>A <code>limit</code> is at most 100.</p>')
  })

  it('asks for a key in our words', async () => {
    const script = await (await fetch(await assetOf('/docs', '/standalone.js'))).text()
    expect(
      ['Your API key', 'YOUR_API_KEY', 'QUxMIFlPVV', 'YOUR_SECRET_TOKEN'].map((word) => script.includes(word)),
    ).toEqual([true, true, false, false])
  })
})

describe('guides', () => {
  const names = Object.values(guides).flat()
  const page = async (path: string) => {
    const response = await fetch(fixture.origin + path)
    return { status: response.status, html: await response.text() }
  }

  it('are all files of the folder, and listed for their readers', async () => {
    const files = readdirSync(join(siteDirectory(), '../guides')).map((file) => file.replace(/\.md$/, ''))
    expect(names.toSorted()).toEqual(files.toSorted())
    const { html } = await page('/docs/guides')
    expect(names.filter((name) => !html.includes(`<a href="/docs/guides/${name}">`))).toEqual([])
  })

  it.each(names)('%s links only to pages that exist', async (name) => {
    const { status, html } = await page(`/docs/guides/${name}`)
    expect(status).toBe(200)
    expect(html).toMatch(/<h1>[A-Z][^<]+<\/h1>/)
    const links = [...html.matchAll(/<main>.*<\/main>/gs)].flatMap(([main]) => [...main.matchAll(/href="(\/[^"#]*)/g)])
    const statuses = await Promise.all(links.map(async ([, path]) => [path, (await page(path!)).status]))
    expect(statuses.filter(([, found]) => found !== 200)).toEqual([])
  })

  it.each(['nothing', 'constructor', '..%2Fpages.ts', '..%2F..%2F..%2FREADME'])('answer 404 for %s', async (name) => {
    expect((await page(`/docs/guides/${name}`)).status).toBe(404)
  })
})

describe('schemas of the metadata format', () => {
  const schemaOf = (file: string) => fetch(`${fixture.origin}/docs/metadata/${file}`)
  const folder = join(projectRoot, 'schema/metadata')

  it.each(readdirSync(folder))('%s is served to editors of every origin', async (file) => {
    const response = await schemaOf(file)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(response.headers.get('content-type')).toBe('application/schema+json; charset=utf-8')
    expect(await response.text()).toBe(readFileSync(join(folder, file), 'utf8'))
  })

  it.each(['nothing', '__proto__', '..%2Fsupergraph.graphql', 'project.schema.json%00'])(
    'answer 404 for %s',
    async (file) => {
      expect((await schemaOf(file)).status).toBe(404)
    },
  )
})

describe('error codes', () => {
  const codes = Object.keys(statusOfCode) as ErrorCode[]

  it.each(codes)('%s: its type leads to a page for people and to JSON for programs', async (code) => {
    const url = fixture.origin + errorTypeOf(code)
    const page = await fetch(url, { headers: asBrowser })
    const described = await fetch(url)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain(`<code>${code}</code>`)
    expect(await described.json()).toEqual({
      type: errorTypeOf(code),
      title: titleOfCode[code],
      status: statusOfCode[code],
      code,
      meaning: expect.stringMatching(/^[A-Z`].*\.$/),
      action: expect.stringMatching(/^[A-Z`].*\.$/),
    })
  })

  it('are listed at /errors', async () => {
    const listed = (await (await fetch(`${fixture.origin}/errors`)).json()) as { code: string }[]
    expect(listed.map(({ code }) => code)).toEqual(codes)
    const html = await (await fetch(`${fixture.origin}/errors`, { headers: asBrowser })).text()
    expect(codes.filter((code) => !html.includes(`<a href="${errorTypeOf(code)}">`))).toEqual([])
  })

  it('answer 404 for a code that does not exist', async () => {
    expect((await fetch(`${fixture.origin}/errors/constructor`)).status).toBe(404)
    expect((await fetch(`${fixture.origin}/errors/NOT-FOUND`)).status).toBe(404)
  })
})

describe('assets', () => {
  it('may be cached for a year, compressed or not', async () => {
    const url = await assetOf('/docs', '/pages.css')
    for (const encoding of ['gzip', 'identity']) {
      const response = await fetch(url, { headers: { 'Accept-Encoding': encoding } })
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
      expect(await response.text()).toBe(readFileSync(join(siteDirectory(), 'pages.css'), 'utf8'))
    }
  })

  it.each([
    ['another version', (url: string) => url.replace(/\/site\/[^/]+/, '/site/000000000000')],
    ['another bundle', (url: string) => url.replace('/site/', '/constructor/')],
    ['a missing file', (url: string) => url.replace('pages.css', 'nothing.css')],
    ['a page template', (url: string) => url.replace('pages.css', 'docs.html')],
    ['a file outside', (url: string) => url.replace('pages.css', '..%2Fpages.ts')],
    ['a hidden file', (url: string) => url.replace('pages.css', '.css')],
  ])('answers 404 for %s', async (_, change) => {
    expect((await fetch(change(await assetOf('/docs', '/pages.css')))).status).toBe(404)
  })
})

describe('examples of the explorer', () => {
  const supergraph = join(siteDirectory(), '../../../schema/supergraph.graphql')

  it.runIf(existsSync(supergraph))('are valid in the committed supergraph', async () => {
    const { exampleTabs } = (await import(join(siteDirectory(), 'queries.js'))) as { exampleTabs: { query: string }[] }
    const schema = buildSchema(readFileSync(supergraph, 'utf8'), { assumeValidSDL: true })
    expect(exampleTabs.flatMap(({ query }) => validate(schema, parse(query)).map((error) => error.message))).toEqual([])
  })
})
