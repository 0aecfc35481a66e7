import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { account, opportunity } from '../builders.ts'
import { chromium } from '../chromium.ts'
import { usePlatform, type Member } from '../platform.ts'

// Two people at a board of deals, each in a browser. What they see is read from the page.

const here = chromium()
if (!here.executablePath) console.warn(`test/people: ${here.explanation}`)
const platform = usePlatform()

/** Serves the board with its code and returns its address. */
async function serveBoard() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('board-app.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"', 'globalThis.__DEV__': 'false' },
  })
  const html = `<!doctype html><meta charset="utf-8"><title>Board</title>
    <p id="connection"></p><p id="picked"></p><p id="problem" role="alert"></p><main id="board"></main><ol id="log"></ol>
    <script>${outputFiles[0]!.text.replaceAll('</script', '<\\/script')}</script>`
  const server = createServer((_req, res) => res.setHeader('Content-Type', 'text/html; charset=utf-8').end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

interface Event {
  readonly cursor: number
  readonly type: string
  readonly recordId: string
}

/** One person at the board. */
class Seat {
  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly errors: readonly string[],
  ) {}

  card = (stage: string, name: string) =>
    this.page.locator(`section[data-stage="${stage}"] article`, { has: this.page.getByRole('heading', { name }) })

  async shows(stage: string, name: string): Promise<void> {
    await this.card(stage, name).waitFor({ timeout: 30_000 })
  }

  async hides(name: string): Promise<void> {
    const card = this.page.locator('article', { has: this.page.getByRole('heading', { name }) })
    await card.waitFor({ state: 'detached', timeout: 30_000 })
  }

  async pickUp(stage: string, name: string): Promise<void> {
    await this.card(stage, name).getByRole('button').click()
    await this.page.locator('#picked', { hasText: name }).waitFor()
  }

  async drop(stage: string): Promise<void> {
    await this.page.locator(`section[data-stage="${stage}"] > button`).click()
  }

  async is(state: string): Promise<void> {
    await this.page.locator('#connection', { hasText: state }).waitFor({ timeout: 30_000 })
  }

  /** Resolves when the page has tried to connect where nothing listens. */
  async isRefused(): Promise<void> {
    await this.page.waitForEvent('console', { predicate: (message) => /CONNECTION_REFUSED/.test(message.text()) })
  }

  /** The events that the page got, in their order. */
  async events(): Promise<Event[]> {
    const lines = await this.page.locator('#log li').allTextContents()
    return lines.map((line) => {
      const [cursor, type, recordId] = line.split(' ') as [string, string, string]
      return { cursor: Number(cursor), type, recordId }
    })
  }
}

describe.skipIf(!here.executablePath)('a board with @apollo/client in Chromium', () => {
  let browser: Browser
  let board: Awaited<ReturnType<typeof serveBoard>>
  let ann: Member
  let bob: Member
  let carl: Member
  let atAnn: Seat
  let atBob: Seat
  let accountId: string

  /** Opens the board. `between` happens when the first read has its answer, and before the page gets it and subscribes. */
  async function seated({ secret }: Member, between?: () => Promise<void>): Promise<Seat> {
    const context = await browser.newContext()
    const page = await context.newPage()
    let isFirst = between !== undefined
    if (between)
      await page.route('**/v1/graphql', async (route) => {
        if (!isFirst || !route.request().postData()?.includes('opportunityBoard')) return route.continue()
        isFirst = false
        const response = await route.fetch()
        await between()
        await route.fulfill({ response })
      })
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    const hash = new URLSearchParams({ url: `${platform.url}/v1/graphql`, key: secret })
    await page.goto(`${board.url}#${hash.toString()}`)
    return new Seat(context, page, errors)
  }

  /** Renames the account of all cards until a page shows it because of the event: then its subscription has begun. */
  async function untilLive(seat: Seat): Promise<void> {
    let renames = 0
    await vi.waitFor(
      async () => {
        await ann.rest.accountUpdate!({ id: accountId, body: { name: `Yard ${++renames}` } })
        expect(await seat.events()).toContainEqual(event('account.updated', accountId))
      },
      { timeout: 30_000, interval: 100 },
    )
  }

  const deal = (name: string, values: object = {}): Promise<{ id: string }> =>
    opportunity(ann, { accountId, name, ...values })

  const moved = async (id: string, stage: string): Promise<void> => {
    expect((await ann.rest.opportunityUpdate!({ id, body: { stage } })).status).toBe(200)
  }

  const outOfSight = new Set<string>()
  async function giveAway(id: string): Promise<void> {
    outOfSight.add(id)
    expect((await ann.rest.opportunityUpdate!({ id, body: { ownerId: carl.userId } })).status).toBe(200)
  }
  const event = (type: string, recordId: string): object => ({ cursor: expect.any(Number) as number, type, recordId })

  beforeAll(async () => {
    browser = await here.launch()
    board = await serveBoard()
    const organizationId = await platform.organization('Board')
    ann = await platform.member({ organizationId, visibility: 'TEAM' })
    bob = await platform.member({ organizationId, visibility: 'TEAM' })
    carl = await platform.member({ organizationId, visibility: 'OWN' })
    await platform.team(organizationId, [ann.userId, bob.userId])
    accountId = (await account(ann, { name: 'Yard' })).id
    await deal('Cranes')
    await deal('Docks')
    ;[atAnn, atBob] = (await Promise.all([ann, bob].map((member) => seated(member)))) as [Seat, Seat]
    await Promise.all([atAnn, atBob].map(untilLive))
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    board.close()
  })

  it('shows deals with their accounts and owners, and a new name of an account', async () => {
    await ann.rest.accountUpdate!({ id: accountId, body: { name: 'Harbour' } })
    for (const seat of [atAnn, atBob]) {
      await seat.shows('PROSPECTING', 'Cranes')
      await seat.card('PROSPECTING', 'Cranes').getByText('Harbour (Ann Lee)').waitFor()
    }
  })

  it('shows a move of one user to the other', async () => {
    await atAnn.pickUp('PROSPECTING', 'Cranes')
    await atAnn.drop('PROPOSAL')
    await Promise.all([atAnn, atBob].map((seat) => seat.shows('PROPOSAL', 'Cranes')))
    await atBob.page.locator('section[data-stage="PROPOSAL"] h2', { hasText: ': 1' }).waitFor()
  })

  it('tells of a conflict instead of overwriting what the other did, and shows that', async () => {
    await atBob.pickUp('PROSPECTING', 'Docks')
    await atAnn.pickUp('PROSPECTING', 'Docks')
    await atAnn.drop('QUALIFICATION')
    await atBob.shows('QUALIFICATION', 'Docks')
    await atBob.drop('PROPOSAL')
    await atBob.page.getByRole('alert').getByText('Docks was changed meanwhile.').waitFor()
    await Promise.all([atAnn, atBob].map((seat) => seat.shows('QUALIFICATION', 'Docks')))
  })

  it('loses a deal that somebody out of sight gets, and one that is deleted', async () => {
    const given = await deal('Given away')
    const deleted = await deal('Deleted')
    for (const seat of [atAnn, atBob]) {
      await seat.shows('PROSPECTING', 'Given away')
      await seat.shows('PROSPECTING', 'Deleted')
    }
    await giveAway(given.id)
    expect((await ann.rest.opportunityDelete!({ id: deleted.id })).status).toBe(204)
    for (const seat of [atAnn, atBob]) {
      await seat.hides('Given away')
      await seat.hides('Deleted')
      // A read because of the first event can have the effect of the second one already.
      await vi.waitFor(async () => {
        const found = await seat.events()
        expect(found).toContainEqual(event('opportunity.left_sight', given.id))
        expect(found).toContainEqual(event('opportunity.deleted', deleted.id))
      })
    }
  })

  it('misses nothing that happened between its first read and its subscription', async () => {
    const moves = await deal('Moved in between')
    let created = { id: '' }
    const late = await seated(bob, async () => {
      await moved(moves.id, 'PROPOSAL')
      created = await deal('Created in between')
      // The events have their positions: a subscription without a cursor would begin after them.
      await atAnn.shows('PROSPECTING', 'Created in between')
    })
    await late.shows('PROPOSAL', 'Moved in between')
    await late.shows('PROSPECTING', 'Created in between')
    const events = await late.events()
    expect(events.slice(0, 3)).toEqual([
      event('opportunity.updated', moves.id),
      event('opportunity.stage_changed', moves.id),
      event('opportunity.created', created.id),
    ])
    expect(late.errors).toEqual([])
    await late.context.close()
  })

  it('misses nothing that happened while the browser had no network', async () => {
    const stays = await deal('Was away')
    await atBob.shows('PROSPECTING', 'Was away')
    const before = (await atBob.events()).length
    await atBob.context.setOffline(true)
    await atBob.is('offline')
    await moved(stays.id, 'QUALIFICATION')
    const created = await deal('While away')
    const given = await deal('Given while away')
    await giveAway(given.id)
    await moved(created.id, 'PROPOSAL')
    // The other page gets the last of these changes, and this one none.
    await atAnn.shows('PROPOSAL', 'While away')
    expect(await atBob.events()).toHaveLength(before)

    await atBob.context.setOffline(false)
    await atBob.shows('QUALIFICATION', 'Was away')
    await atBob.shows('PROPOSAL', 'While away')
    await atBob.hides('Given while away')
    await sameEvents()
  })

  it('misses nothing that happened around restarts of the server', async () => {
    const { id } = await deal('Restarted')
    for (const [restart, stage] of ['QUALIFICATION', 'PROPOSAL'].entries()) {
      // Pages try to connect again while nothing listens.
      await platform.restart(async () => {
        await Promise.all([atAnn, atBob].map((seat) => seat.isRefused()))
      })
      await moved(id, stage)
      await deal(`After restart ${restart}`)
      for (const seat of [atAnn, atBob]) {
        await seat.shows(stage, 'Restarted')
        await seat.shows('PROSPECTING', `After restart ${restart}`)
        await seat.is('connected')
      }
    }
    await sameEvents()
  })

  /** Who was away when a record came and went learns only that it is out of sight. */
  const isOfBoth = ({ type, recordId }: Event): boolean => !outOfSight.has(recordId) || type.endsWith('.left_sight')

  /** Both pages saw the same events, each once and in their order, since the later one began. */
  async function sameEvents(): Promise<void> {
    await vi.waitFor(
      async () => {
        const [one, other] = (await Promise.all([atAnn, atBob].map((seat) => seat.events()))) as [Event[], Event[]]
        const begin = Math.max(one[0]!.cursor, other[0]!.cursor)
        const shared = (events: readonly Event[]) => events.filter(({ cursor }) => cursor >= begin).filter(isOfBoth)
        expect(shared(one)).toEqual(shared(other))
        for (const events of [one, other]) {
          const cursors = events.map(({ cursor }) => cursor)
          expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b))
        }
      },
      { timeout: 30_000, interval: 100 },
    )
    expect([...atAnn.errors, ...atBob.errors]).toEqual([])
  }
})
