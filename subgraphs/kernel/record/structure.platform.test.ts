import 'reflect-metadata'
import { ID, Int, ObjectType } from 'type-graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { exactNumberOf, type ExactNumber } from '../json/exact-number.ts'
import { requestContext, type RequestContext } from '../request.ts'
import { columnsOf, enumeration } from './column.ts'
import { CustomFieldsFixture } from './custom-fields.fixture.ts'
import { defineRecord, type RecordDefinition } from './definition.ts'
import { OrgRecord } from './org-record.ts'
import { recordColumns } from './record-table.ts'
import { recordsOf } from './records-of.ts'
import { DateTime, Decimal } from './scalars.ts'
import { Part, Structure, StructureColumn } from './structure.ts'

const Tide = enumeration('TestTide', 'State of the tide.', { HIGH: 'High water.', LOW: 'Low water.' })

@Structure('TestLeg', 'One leg of a voyage.')
class Leg {
  @Part(() => ID, { nullable: true, description: 'Id of the port.' })
  portId!: string | null

  @Part(() => Decimal, { minimum: 0, decimals: 3, description: 'Length.' })
  miles!: ExactNumber

  @Part(() => Tide, { default: 'HIGH', description: 'Tide at departure.' })
  tide!: keyof typeof Tide

  @Part(() => Int, { nullable: true, writable: 'NEVER', description: 'Number of the leg.' })
  number!: number | null
}

@Structure('TestPapers', 'Papers of a voyage.')
class Papers {
  @Part(() => String, { max: 10, filled: true, description: 'Title.' })
  title!: string

  @Part(() => DateTime, { nullable: true, description: 'When they were signed.' })
  signedAt!: string | null
}

@ObjectType('TestVoyage')
class Voyage extends OrgRecord {
  @StructureColumn(() => Leg, { list: true, maxItems: 3, description: 'Legs.' })
  legs!: Leg[]

  @StructureColumn(() => Papers, { nullable: true, description: 'Papers; null if none.' })
  papers!: Papers | null
}

const knownPort = newId()
const voyage: RecordDefinition<Voyage> = defineRecord(Voyage, {
  object: 'voyage',
  table: 'public.voyage',
  visibleBy: [],
  searchable: [],
  references: { 'legs.portId': async (_, ids) => new Set(ids.filter((id) => id === knownPort)) },
  events: {
    types: Object.fromEntries(
      (['CREATE', 'UPDATE', 'DELETE'] as const).map((operation, index) => [
        `voyage.${['created', 'updated', 'deleted'][index]!}`,
        { operation, description: '' },
      ]),
    ),
  },
})
const voyages = recordsOf(voyage)

const fixture = new CustomFieldsFixture({ hasOwnEvents: true })
let ctx: RequestContext

beforeAll(async () => {
  await fixture.open()
  const { database } = fixture.fresh
  await database.query(`create table public.voyage (${recordColumns}, legs jsonb not null default '[]', papers jsonb)`)
  await database.query('create view tenant.public_voyage as select * from public.voyage')
  const { caller } = fixture.context(newId(), { userId: newId() })
  ctx = requestContext({ caller, requestId: 'request', idempotency: null }, fixture.services, { db: database })
})
afterAll(() => fixture.close())

const leg = (given: object) => given as Leg
const stored = async (id: string) =>
  (
    await fixture.fresh.database.query<{ legs: unknown; papers: unknown; version: number }>(
      'select legs::text, papers, version from public.voyage where id = $1',
      [id],
    )
  )[0]!
const eventOf = async (id: string) =>
  (
    await fixture.fresh.database.query<{ data: { record: Voyage; changedFields: string[] | null } }>(
      `select data from kernel.event where data->>'id' = $1 order by id desc limit 1`,
      [id],
    )
  )[0]!.data

describe('a structured column', () => {
  it('stores every part: given values with all digits, defaults, null, and ids in lower case', async () => {
    const { id } = await voyages.create(ctx, {
      legs: [
        leg({ miles: exactNumberOf('999999999999999.123')!, portId: knownPort.toUpperCase() }),
        leg({ miles: 0, tide: 'LOW' }),
      ],
    })
    expect(await stored(id)).toEqual({
      legs: `[{"tide": "HIGH", "miles": 999999999999999.123, "number": null, "portId": "${knownPort}"}, {"tide": "LOW", "miles": 0, "number": null, "portId": null}]`,
      papers: null,
      version: 1,
    })
    expect((await eventOf(id)).record.legs).toEqual([
      { tide: 'HIGH', miles: exactNumberOf('999999999999999.123'), number: null, portId: knownPort },
      { tide: 'LOW', miles: 0, number: null, portId: null },
    ])
  })

  it('is empty or null in a new record without it', async () => {
    const created = await voyages.create(ctx, {})
    expect([created.legs, created.papers]).toEqual([[], null])
  })

  it('is replaced as a whole, and equal values are no change', async () => {
    const { id } = await voyages.create(ctx, { legs: [leg({ miles: 1 })], papers: { title: 'A', signedAt: null } })
    await voyages.update(ctx, id, { legs: [leg({ tide: 'HIGH', miles: 1 })], papers: { title: 'A' } as Papers }, null)
    expect((await stored(id)).version).toBe(1)
    const changed = await voyages.update(ctx, id, { legs: [leg({ miles: 2 })], papers: null }, null)
    expect(changed).toMatchObject({ version: 2, papers: null, legs: [{ miles: 2, tide: 'HIGH', portId: null }] })
    expect((await eventOf(id)).changedFields).toEqual(['legs', 'papers'])
  })

  it.each([
    ['a part that is missing', { legs: [leg({ miles: 1 }), leg({})] }, 'legs.1.miles', 'REQUIRED'],
    ['a part out of range', { legs: [leg({ miles: -1 })] }, 'legs.0.miles', 'OUT_OF_RANGE'],
    ['too many decimals', { legs: [leg({ miles: exactNumberOf('1.2345')! })] }, 'legs.0.miles', 'TOO_PRECISE'],
    ['too many items', { legs: [1, 2, 3, 4].map((miles) => leg({ miles })) }, 'legs', 'TOO_MANY'],
    ['an item that is no object', { legs: [5 as unknown as Leg] }, 'legs.0', 'WRONG_TYPE'],
    ['no list', { legs: {} as Leg[] }, 'legs', 'WRONG_TYPE'],
    ['null for a list', { legs: null }, 'legs', 'REQUIRED'],
    ['a text that is too long', { papers: { title: 'x'.repeat(11), signedAt: null } }, 'papers.title', 'TOO_LONG'],
    ['an empty text', { papers: { title: ' ', signedAt: null } }, 'papers.title', 'EMPTY'],
    ['an unknown record', { legs: [leg({ miles: 1, portId: newId() })] }, 'legs.0.portId', 'UNKNOWN_REFERENCE'],
  ])('refuses %s, and changes nothing', async (_, values, path, code) => {
    const { id } = await voyages.create(ctx, { legs: [leg({ miles: 7, portId: knownPort })] })
    await expect(voyages.update(ctx, id, values, null)).rejects.toMatchObject({
      extensions: { errors: [{ path, code }] },
    })
    await expect(voyages.create(ctx, values)).rejects.toMatchObject({ extensions: { errors: [{ path, code }] } })
    expect((await stored(id)).version).toBe(1)
  })

  it('is in the list of columns with its parts in the order of their declaration', () => {
    const legs = columnsOf(Voyage).find(({ name }) => name === 'legs')
    expect(legs!.structure!.parts.map(({ name }) => name)).toEqual(['portId', 'miles', 'tide', 'number'])
  })
})
