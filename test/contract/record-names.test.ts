import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { subgraphs } from '../../subgraphs/all.ts'
import { isRecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { startWithArticle } from '../../subgraphs/kernel/record/article.ts'
import { nameOf } from '../../subgraphs/kernel/record/describe.ts'
import { readBy, requireRecord } from '../../subgraphs/kernel/record/read.ts'
import { requireAllowedTransition, requireNewStatus } from '../../subgraphs/kernel/record/transitions.ts'
import type { RequestContext } from '../../subgraphs/kernel/request.ts'

const shapes = subgraphs
  .flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
  )
  .filter(isRecordShape)

const caller = {
  kind: 'SESSION',
  organizationId: '',
  userId: '',
  role: 'OWNER',
  ownerIds: null,
  fields: null,
  entitlements: [],
}
const empty = { query: () => Promise.resolve([]) }
const ctx = { caller, db: empty, shapes: null } as unknown as RequestContext
const id = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'
const messageOf = (work: () => Promise<unknown>): Promise<string> =>
  work().then(
    () => 'no refusal',
    ({ message }: Error) => message,
  )

describe('the name of a record type in a message', () => {
  it.each(shapes.map((shape) => [shape.object, shape] as const))('of %s is a readable text', async (object, shape) => {
    const name = nameOf(shape)
    expect(name.toLowerCase()).toBe(object.replaceAll('_', ' '))
    const notFound = `The ${name} was not found.`
    expect(await messageOf(() => readBy(ctx, shape, 'id', id))).toBe(notFound)
    expect(await messageOf(() => requireRecord(ctx, shape as never, id))).toBe(notFound)
    const article = /^[aeio]/i.test(name) ? 'An' : 'A'
    expect(startWithArticle(name)).toBe(`${article} ${name}`)
    const states = { name, scope: 'SESSION' as const, transitions: { NEW: { OLD: ['renew'] }, OLD: {} } }
    const wrong = (status: string, to: string) => messageOf(() => requireAllowedTransition(ctx, states, { status }, to))
    expect(await wrong('OLD', 'NEW')).toBe(`${article} ${name} with status OLD cannot change to NEW.`)
    expect(await wrong('NEW', 'LOST')).toBe(`${article} ${name} with status NEW can change to OLD, not to LOST.`)
    expect(await messageOf(() => requireNewStatus(ctx, states, { status: 'OLD' }, 'OLD'))).toBe(
      `The ${name} has the status OLD already.`,
    )
  })

  it('covers names that begin with vowels and names of several words', () => {
    const names = shapes.map(nameOf)
    for (const name of ['invoice', 'order', 'sequence enrollment', 'email template']) expect(names).toContain(name)
  })
})
