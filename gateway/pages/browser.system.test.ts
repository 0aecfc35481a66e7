import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../../test/chromium.ts'
import { exampleAccount, fixtureKey, serveFixture, type Fixture } from './pages.fixture.ts'

const browserHere = chromium()
if (!browserHere.executablePath) console.warn(`gateway/pages: ${browserHere.explanation}`)

let fixture: Fixture
beforeAll(async () => {
  fixture = await serveFixture()
})
afterAll(() => fixture.close())

describe.runIf(browserHere.executablePath)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await browserHere.launch()
  })
  afterAll(() => browser.close())

  interface Visit {
    readonly page: Page
    /** Errors in the console, violations of the policy, requests to another origin. */
    readonly browserErrors: string[]
    readonly requests: string[]
  }

  async function visit(path: string): Promise<Visit> {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    context.setDefaultTimeout(10_000)
    const browserErrors: string[] = []
    const requests: string[] = []
    context.on('request', (request) => {
      const url = new URL(request.url())
      if (url.origin === fixture.origin) requests.push(`${request.method()} ${url.pathname}`)
      else if (url.protocol !== 'data:') browserErrors.push(`request to ${url.href}`)
    })
    context.on('console', (message) => void (message.type() === 'error' && browserErrors.push(message.text())))
    context.on('weberror', (error) => browserErrors.push(error.error().message))
    await context.exposeFunction('reportViolation', (text: string) => browserErrors.push(text))
    await context.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ': ' + event.blockedURI))`,
    )
    const page = await context.newPage()
    await page.goto(fixture.origin + path)
    return { page, browserErrors, requests }
  }

  async function pasteKey(page: Page, key: string): Promise<void> {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(key)})`)
    await page.getByLabel('API key').press('Control+V')
  }

  /** The run button does nothing until both editors are loaded. */
  async function editorsReady(page: Page): Promise<void> {
    await page.locator('.graphiql-query-editor .view-lines').waitFor()
    await page.locator('.result-window .view-lines').waitFor({ state: 'attached' })
  }

  const stored = (page: Page): Promise<string> => page.evaluate('JSON.stringify([localStorage, sessionStorage])')

  it('opens the landing page', async () => {
    const { page, browserErrors } = await visit('/')
    await page.getByRole('link', { name: 'GraphQL explorer' }).waitFor()
    expect(browserErrors).toEqual([])
    await page.context().close()
  })

  it.each(['/v1/graphql', '/graphql'])('runs the first query at %s after a key is pasted', async (path) => {
    const { page, browserErrors, requests } = await visit(path)
    await editorsReady(page)
    await page.getByText('Paste an API key above').waitFor()
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([])

    await pasteKey(page, fixtureKey)
    await page.getByText('Key accepted').waitFor()
    await page.getByRole('button', { name: /^Execute query/ }).click()
    await page.locator('.result-window').getByText('Northwind').waitFor()

    await page.getByRole('tab', { name: 'FindCases' }).click()
    await page.getByRole('button', { name: /^Execute query/ }).click()
    await page.locator('.result-window').getByText('Invoice').waitFor()

    expect(requests.filter((request) => request === `POST ${path}`).length).toBe(path === '/v1/graphql' ? 4 : 3)
    await expect.poll(() => page.workers().some((worker) => worker.url().endsWith('/graphqlWorker.js'))).toBe(true)
    expect(browserErrors).toEqual([])
    expect(JSON.parse(await stored(page))[0]).not.toContain(fixtureKey)
    await page.context().close()
  })

  it('runs a query on a narrow screen immediately after a key is typed, and shows the answer below it', async () => {
    const { page, browserErrors } = await visit('/v1/graphql')
    await page.setViewportSize({ width: 390, height: 844 })
    await editorsReady(page)
    await page.getByLabel('API key').fill(fixtureKey)
    await page.getByRole('button', { name: /^Execute query/ }).click()
    await page.locator('.result-window').getByText('Northwind').waitFor()
    const [query, answer] = await Promise.all(
      ['.graphiql-editors', '.result-window'].map((part) => page.locator(part).boundingBox()),
    )
    expect(query!.width).toBeGreaterThan(300)
    expect(answer!.y).toBeGreaterThanOrEqual(query!.y + query!.height)
    expect(browserErrors).toEqual([])
    await page.context().close()
  })

  it('receives a subscription over a socket with the pasted key', async () => {
    const { page, browserErrors } = await visit('/v1/graphql')
    await editorsReady(page)
    await pasteKey(page, fixtureKey)
    await page.getByText('Key accepted').waitFor()
    await page.getByRole('button', { name: 'New tab' }).click()
    await page.locator('.graphiql-query-editor .view-lines').click()
    await page.keyboard.insertText('subscription Opened { caseOpened { subject } }')
    await page.getByRole('tab', { name: 'Opened' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.locator('.result-window').getByText('Invoice').waitFor()
    expect(browserErrors).toEqual([])
    await page.context().close()
  })

  it('shows that a key is refused, and requests no schema', async () => {
    const { page, browserErrors, requests } = await visit('/v1/graphql')
    await editorsReady(page)
    await pasteKey(page, 'wrong')
    await page.getByText('The API key is not valid.').waitFor()
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual(['POST /v1/graphql'])
    // The browser reports the 401 of the check; there must be no other error.
    expect(browserErrors).toEqual(['Failed to load resource: the server responded with a status of 401 (Unauthorized)'])
    await page.context().close()
  })

  it('tries a request from the reference with the pasted key', async () => {
    const { page, browserErrors, requests } = await visit('/docs')
    await page.getByRole('heading', { name: 'List accounts' }).waitFor()
    await pasteKey(page, fixtureKey)
    await page.getByText('Key accepted').waitFor()
    await page
      .getByRole('button', { name: /Test Request.*accounts/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Send get request/ }).click()
    await page.getByText('200 OK').waitFor()
    await page.getByText('Northwind').last().waitFor()

    expect(requests.filter((request) => request === 'GET /v1/accounts')).toEqual(['GET /v1/accounts'])
    expect(browserErrors).toEqual([])
    expect(JSON.parse(await stored(page))[0]).not.toContain(fixtureKey)

    await page.goto(`${fixture.origin}/v1/graphql`)
    await page.getByText('Key accepted').waitFor()
    expect(browserErrors).toEqual([])
    await page.context().close()
  })

  it('sends the example of the body from the reference', async () => {
    const { page, browserErrors } = await visit('/docs')
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByRole('button', { name: /Test Request.*post.*accounts/ }).click()
    // The server of this test answers with the body that it received.
    const answer = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: /^Send post request/ }).click()
    expect(await (await answer).json()).toEqual(exampleAccount)
    await page.getByText('201 Created').waitFor()
    expect(browserErrors).toEqual([])
    await page.context().close()
  })
})
