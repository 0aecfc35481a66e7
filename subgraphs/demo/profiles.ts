import { readFileSync } from 'node:fs'
import type { Role, Visibility } from '../kernel/context.ts'
import { schemaPath } from '../kernel/config/paths.ts'
import { freightCatalog, laboratoryCatalog, type CatalogEntry } from './vocabulary/catalogs.ts'
import { freightStories, generalStories, laboratoryStories, type Story } from './vocabulary/stories.ts'
import {
  freightCompetitors,
  freightDeals,
  laboratoryCompetitors,
  laboratoryDeals,
  type DealTexts,
} from './vocabulary/deals.ts'
import { freightPositions, laboratoryPositions, type Position } from './vocabulary/people.ts'
import { freightSeller, laboratorySeller, type DemoSeller } from './vocabulary/sellers.ts'
import { table } from './vocabulary/text.ts'

export interface DemoPerson {
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly visibility: Visibility
  /** Null if the user is in no team. */
  readonly team: string | null
  readonly timezone: string
}

/** One organization of the demo: its users, its products and the number of its records. */
export interface Profile {
  readonly code: string
  readonly name: string
  readonly currency: string
  readonly seller: DemoSeller
  readonly country: string
  readonly timezone: string
  readonly accounts: number
  readonly cases: number
  readonly contacts: number
  readonly leads: number
  readonly opportunities: number
  readonly activities: number
  readonly tasks: number
  readonly quotes: number
  readonly orders: number
  /** The positions of contacts; those who decide come first. */
  readonly positions: readonly Position[]
  readonly people: readonly DemoPerson[]
  /** The team that owns the accounts of each region. Accounts of other regions get an owner from any sales team. */
  readonly teamOfRegion: Readonly<Record<string, string>>
  readonly supportTeam: string
  readonly catalog: readonly CatalogEntry[]
  readonly stories: readonly Story[]
  readonly deals: DealTexts
  readonly competitors: readonly string[]
  /** What most deals are about. */
  readonly mainCategory: CatalogEntry['category']
  /** Value of one unit of each further currency in the organization's currency, about a year ago. */
  readonly exchangeRates: Readonly<Record<string, number>>
}

/** Rows of `email | name | role | visibility | team | timezone`; without a time zone, that of the organization. */
const people = (domain: string, home: string, text: string): DemoPerson[] =>
  table(text).map(([mailbox, name, role, visibility, team, timezone]) => ({
    email: `${mailbox}@${domain}`,
    name: name!,
    role: role as Role,
    visibility: visibility as Visibility,
    team: team || null,
    timezone: timezone || home,
  }))

/** Every READ scope that the graph requires, so that the read-only key of the demo also reads a new record type. */
function readScopes(): string[] {
  const supergraph = readFileSync(schemaPath('supergraph.graphql'), 'utf8')
  return [...new Set(Array.from(supergraph.matchAll(/"(READ_[A-Z_]+)"/g), ([, scope]) => scope!))].toSorted()
}

/** A key with all scopes, a read-only key, and a key with one scope. Each acts as the user with the role `owner`. */
export const demoKeys = [
  { name: 'Everything', owner: 'OWNER', scopes: ['*'] },
  { name: 'Read only', owner: 'ADMIN', scopes: readScopes() },
  { name: 'Accounts only', owner: 'ADMIN', scopes: ['READ_ACCOUNTS'] },
] as const satisfies readonly { name: string; owner: Role; scopes: readonly string[] }[]

export const profiles: readonly Profile[] = [
  {
    code: 'fjordline-freight',
    name: 'Fjordline Freight Systems',
    currency: 'EUR',
    seller: freightSeller,
    country: 'Germany',
    timezone: 'Europe/Berlin',
    accounts: 320,
    cases: 600,
    contacts: 700,
    leads: 350,
    opportunities: 450,
    activities: 2500,
    tasks: 700,
    quotes: 220,
    orders: 90,
    positions: freightPositions,
    teamOfRegion: {
      Nordics: 'Northern Europe',
      'Western Europe': 'Northern Europe',
      'Central Europe': 'Central and Overseas',
    },
    supportTeam: 'Customer Support',
    people: people(
      'fjordline.example',
      'Europe/Berlin',
      `
      ingrid.solberg    | Ingrid Solberg    | OWNER     | ALL  | | Europe/Oslo
      tomas.akerman     | Tomas Åkerman     | ADMIN     | ALL  | | Europe/Stockholm
      beatrice.holm     | Beatrice Holm     | MANAGER   | TEAM | Northern Europe
      ruben.castellan   | Ruben Castellan   | MANAGER   | TEAM | Customer Support
      elin.wester       | Elin Wester       | MEMBER    | TEAM | Northern Europe | Europe/Stockholm
      padraig.keogh     | Pádraig Keogh     | MEMBER    | OWN  | Northern Europe | Europe/Dublin
      katrin.hollerbach | Katrin Hollerbach | MEMBER    | TEAM | Central and Overseas
      marcus.boone      | Marcus Boone      | MEMBER    | OWN  | Central and Overseas | America/New_York
      amara.okafor      | Amara Okafor      | MEMBER    | ALL  | Customer Support
      yusuf.demir       | Yusuf Demir       | MEMBER    | TEAM | Customer Support
      linh.tran         | Linh Tran         | MEMBER    | OWN  | Customer Support
      sofia.marchetti   | Sofia Marchetti   | MEMBER    | TEAM | Customer Support
      henrik.brandner   | Henrik Brandner   | READ_ONLY | ALL  |
    `,
    ),
    catalog: freightCatalog,
    stories: [...generalStories, ...freightStories],
    deals: freightDeals,
    competitors: freightCompetitors,
    mainCategory: 'SOFTWARE',
    exchangeRates: { GBP: 1.168, SEK: 0.0884, USD: 0.921 },
  },
  {
    code: 'kestrel-instruments',
    name: 'Kestrel Instruments',
    currency: 'USD',
    seller: laboratorySeller,
    country: 'United States',
    timezone: 'America/Chicago',
    accounts: 40,
    cases: 60,
    contacts: 70,
    leads: 35,
    opportunities: 45,
    activities: 250,
    tasks: 70,
    quotes: 22,
    orders: 9,
    positions: laboratoryPositions,
    teamOfRegion: { 'North America': 'Americas' },
    supportTeam: 'Service Desk',
    people: people(
      'kestrel.example',
      'America/Chicago',
      `
      dorothea.quinn  | Dorothea Quinn  | OWNER     | ALL  |
      samuel.adeyemi  | Samuel Adeyemi  | ADMIN     | ALL  |
      claire.bessiere | Claire Bessière | MANAGER   | TEAM | Service Desk | America/New_York
      noah.fairweather| Noah Fairweather| MEMBER    | OWN  | Americas
      priya.raman     | Priya Raman     | MEMBER    | TEAM | Americas | America/Los_Angeles
      oskar.lindgren  | Oskar Lindgren  | MEMBER    | ALL  | Service Desk
      mei.huang       | Mei Huang       | MEMBER    | TEAM | Service Desk
      walter.prescott | Walter Prescott | READ_ONLY | ALL  |
    `,
    ),
    catalog: laboratoryCatalog,
    stories: [...generalStories, ...laboratoryStories],
    deals: laboratoryDeals,
    competitors: laboratoryCompetitors,
    mainCategory: 'HARDWARE',
    exchangeRates: { CAD: 0.734, EUR: 1.086, GBP: 1.268 },
  },
]
