import { join } from 'node:path'
import { Database } from '../../../subgraphs/kernel/database/database.ts'
import { buildEntries } from '../../../subgraphs/kernel/search/build-entries.ts'
import { findFrequentLexemes } from '../../../subgraphs/kernel/search/frequent-lexemes.ts'
import type { OpenServices } from '../../../subgraphs/kernel/services.ts'
import type { BenchOptions } from '../options.ts'
import type { Finding } from '../report.ts'
import { openGrownOrganization, readerOf, type GrownOrganization } from './fill.ts'
import { measureFreshness } from './freshness.ts'
import { head, lineOf, warmUp, withClient } from './growth.ts'
import { measureProbe, type Row } from './measure-probe.ts'
import type { Probe } from './probe.ts'

/** The record types that are filled and searched: together as many records as `--rows`. */
const tables = ['account', 'contact', 'lead', 'opportunity']
const goal = { p50: 50, p95: 50 }
const cpuMax = 20
const samplesOfClass = 20

/** Words of stored titles, from records at equal distances. */
interface Titles {
  readonly company: string
  readonly person: string
  readonly email: string | null
  readonly phone: string | null
}

const words = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3)
const swapped = (word: string): string => `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`

/** What people type, by kind. */
const classes: Readonly<Record<string, (titles: Titles) => string | null | undefined>> = {
  'whole title of a company': ({ company }) => company,
  'name of a person': ({ person }) => person,
  'first name, beginning of the second': ({ person: [...name] }) => name.slice(0, -2).join(''),
  'one word of a title': ({ company }) => words(company)[0],
  'two letters': ({ company }) => company.slice(0, 2),
  'three letters': ({ company }) => company.slice(0, 3),
  'five letters': ({ company }) => company.slice(0, 5),
  'frequent word': ({ company }) => words(company)[1],
  'word of a title and of a text': ({ company }) => `${words(company)[0]} newsletter`,
  'two letters exchanged': ({ person }) => swapped(words(person)[0] ?? 'Haldenberg'),
  'e-mail address': ({ email }) => email,
  'telephone number': ({ phone }) => phone,
  'no match': ({ person }) => `zz${person.slice(0, 4)}qx`,
}

async function titlesOf({ database }: OpenServices, organizationId: string): Promise<Titles[]> {
  const [{ count }] = (await database.query<{ count: number }>(
    'select count(*)::int as count from crm.account where organization_id = $1',
    [organizationId],
  )) as [{ count: number }]
  return database.query<Titles & Record<string, unknown>>(
    `select a.name as company, c.name as person, c.email, a.phone from (
       select name, phone, row_number() over (order by id) as n from crm.account where organization_id = $1
     ) a join (select name, email, row_number() over (order by id) as n from crm.contact where organization_id = $1) c using (n)
     where n % $2 = 1`,
    [organizationId, Math.max(2, Math.floor(count / samplesOfClass))],
  )
}

const probesFor = (who: string, titles: readonly Titles[]): Probe[] =>
  Object.entries(classes).map(([name, textOf]) => {
    const texts = titles.map(textOf).filter((text) => typeof text === 'string' && text.length > 0)
    const requests = texts.map((q) => ({ method: 'GET', path: `/v1/search?q=${encodeURIComponent(q!)}` }) as const)
    return { area: `search, ${who}`, name, hasTotal: false, isTotalFree: true, requests, goal }
  })

async function build(services: OpenServices, organizationId: string): Promise<void> {
  const start = performance.now()
  const isBuilt = await buildEntries(services, organizationId)
  if (isBuilt) console.log(`Entries of the search: ${((performance.now() - start) / 1000).toFixed(0)} s.`)
  // Without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  await sql.query('vacuum (analyze) kernel.search_entry').finally(() => sql.close())
  await findFrequentLexemes(services)
}

/** Measures the search over all record types, as users who see all records, those of a team of 20, and their own. */
export async function measureSearch(
  services: OpenServices,
  dataDir: string,
  options: BenchOptions,
): Promise<Finding[]> {
  const rows = options.growth.rows / tables.length
  const everyone = await openGrownOrganization(services, { ...options.growth, rows, only: tables })
  await build(services, everyone.organizationId)
  const titles = await titlesOf(services, everyone.organizationId)
  const users: readonly (readonly [string, GrownOrganization])[] = [
    ['all', everyone],
    ['team', await readerOf(services, everyone, 'TEAM')],
    ['own', await readerOf(services, everyone, 'OWN')],
  ]
  // A new record is found when background work has written its entry.
  const fresh = await withClient(services, { dataDir: join(dataDir, 'project'), services }, everyone, measureFreshness)
  const measured: Row[] = []
  for (const [who, user] of users)
    await withClient(
      services,
      { dataDir: join(dataDir, 'project'), services, background: false },
      user,
      async (client) => {
        const probes = probesFor(who, titles)
        await warmUp(client, probes)
        // On a server that has been running, the entries are in the memory of PostgreSQL.
        for (const probe of probes) await measureProbe(client, probe, samplesOfClass * 2)
        console.log(`\nsearch, ${who}\n${head}`)
        for (const probe of probes)
          for (const row of await measureProbe(client, probe, samplesOfClass * 2)) {
            console.log(lineOf(row))
            measured.push(row)
          }
      },
    )
  const slow = measured.filter(({ isReached }) => isReached === false)
  const dear = measured.filter(({ cpu }) => cpu.p95 > cpuMax)
  const of = ({ length }: readonly Row[]): string => `${length} of ${measured.length}`
  return [
    fresh,
    { what: 'Search: classes with p95 over 50 ms', figure: of(slow), goal: '0', isReached: slow.length === 0 },
    { what: 'Search: classes with CPU over 20 ms', figure: of(dear), goal: '0', isReached: dear.length === 0 },
  ]
}
