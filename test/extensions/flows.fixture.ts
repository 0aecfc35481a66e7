import { expect } from 'vitest'
import { turnQueue } from '../../subgraphs/extensions/interview/turn-queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Member, Platform } from '../platform.ts'

export interface Field {
  readonly name: string
  readonly type: string
  readonly value: unknown
  readonly error: string | null
  readonly [name: string]: unknown
}

export interface Interview {
  readonly id: string
  readonly flowId: string
  readonly flowVersion: number
  readonly status: string
  readonly currentElement: string | null
  readonly screen: {
    readonly title: string
    readonly fields: readonly Field[]
    readonly [name: string]: unknown
  } | null
  readonly variables: Readonly<Record<string, unknown>> | null
  readonly outputs: Readonly<Record<string, unknown>> | null
  readonly canGoBack: boolean
  readonly error: { readonly code: string; readonly message: string; readonly element: string | null } | null
  readonly version: number
  readonly resumesAt: string | null
  readonly expiresAt: string
  readonly endedAt: string | null
}

export interface SavedFlow {
  readonly id: string
  readonly apiName: string
  readonly version: number
  readonly flowVersion: number
  readonly status: string
}

export const element = (name: string, type: string, config: object, connectors: object | null = null) => ({
  name,
  type,
  config,
  connectors,
})

export const variable = (name: string, dataType = 'TEXT', values: object = {}) => ({ name, dataType, ...values })

/** A screen with fields of the type TEXT, or others. */
export const screen = (
  name: string,
  fields: readonly (string | object)[],
  connectors: object | null = null,
  more = {},
) =>
  element(
    name,
    'SCREEN',
    {
      title: `Screen ${name}`,
      fields: fields.map((one) => (typeof one === 'string' ? { name: one, label: one, type: 'TEXT' } : one)),
      ...more,
    },
    connectors,
  )

/** Flows of one platform, as clients and workers use them. */
export function flowsOf(platform: Platform) {
  const { services } = platform
  const save = (by: Member, elements: readonly object[], values: object = {}) =>
    by.rest['flowCreate']!({
      body: {
        apiName: `flow_${newId().replaceAll('-', '').slice(-12)}`,
        label: 'A flow',
        startElement: (elements[0] as { name: string } | undefined)?.name ?? null,
        elements,
        ...values,
      },
    } as never)
  async function create(by: Member, elements: readonly object[], values: object = {}): Promise<SavedFlow> {
    const { status, body } = await save(by, elements, values)
    expect(status, JSON.stringify(body)).toBe(201)
    return body as SavedFlow
  }
  async function activate(by: Member, elements: readonly object[], values: object = {}): Promise<SavedFlow> {
    const { id } = await create(by, elements, values)
    const { status, body } = await by.rest['flowActivate']!({ id } as never)
    expect([status, (body as SavedFlow).status]).toEqual([200, 'ACTIVE'])
    return body as SavedFlow
  }
  const start = (by: Member, apiName: string, inputs?: object) =>
    by.rest['flowInterviewStart']!({ apiName, body: inputs ? { inputs } : {} } as never)
  async function started(by: Member, apiName: string, inputs?: object): Promise<Interview> {
    const { status, body } = await start(by, apiName, inputs)
    expect(status, JSON.stringify(body)).toBe(201)
    return body as Interview
  }
  const next = (by: Member, { id, version }: Pick<Interview, 'id' | 'version'>, values: object = {}) =>
    by.rest['flowInterviewNext']!({ id, body: { version, values } } as never)
  async function answered(by: Member, interview: Interview, values: object = {}): Promise<Interview> {
    const { status, body } = await next(by, interview, values)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as Interview
  }
  return {
    save,
    create,
    activate,
    start,
    started,
    next,
    answered,
    back: (by: Member, { id, version }: Interview) => by.rest['flowInterviewBack']!({ id, body: { version } } as never),
    verb: (by: Member, what: 'Pause' | 'Resume' | 'Cancel', { id }: Pick<Interview, 'id'>) =>
      by.rest[`flowInterview${what}`]!({ id } as never),
    read: (by: Member, { id }: Pick<Interview, 'id'>) => by.rest['flowInterview']!({ id } as never),
    /** An interview of these elements, to its first screen, wait or end. */
    async ran(
      by: Member,
      elements: readonly object[],
      values: object = {},
      inputs?: object,
      as = by,
    ): Promise<Interview> {
      const { apiName } = await activate(by, elements, values)
      return started(as, apiName, inputs)
    },
    work: () => drain(turnQueue, services),
    /** Time passes, also for the queue. */
    async pass(ms: number): Promise<void> {
      platform.advanceClock(ms)
      await ageQueueItems(services, turnQueue.table, ms)
    },
  }
}
