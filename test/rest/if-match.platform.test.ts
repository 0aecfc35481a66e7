import { beforeAll, describe, expect, it } from 'vitest'
import { account, product, supportCase } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const make = { account, product, case: supportCase }

describe.each<[operation: string, kind: keyof typeof make, body: object | undefined]>([
  ['accountUpdate', 'account', { name: 'New' }],
  ['accountDelete', 'account', undefined],
  ['accountRestore', 'account', undefined],
  ['accountRestore_companies', 'account', undefined],
  ['productUpdate', 'product', { name: 'New' }],
  ['productDelete', 'product', undefined],
  ['productRestore', 'product', undefined],
  ['caseUpdate', 'case', { subject: 'New' }],
  ['caseDelete', 'case', undefined],
  ['caseRestore', 'case', undefined],
  ['caseAssign', 'case', { assignedToId: null }],
  ['caseSetStatus', 'case', { status: 'ESCALATED' }],
])('%s', (operation, kind, body) => {
  it('accepts the version that If-Match names, and refuses another with 409', async () => {
    const { id } = await make[kind](member)
    const isRestored = operation.includes('Restore')
    if (isRestored) await member.rest[`${kind}Delete`]!({ id })
    const present = isRestored ? 2 : 1
    const write = (version: number) =>
      member.rest[operation]!({ id, headers: { 'If-Match': `"${version}"` }, ...(body && { body }) })

    const { status, body: outcome } = await unchanged(platform, () => write(present + 1))
    expect([status, outcome.code, outcome.currentVersion]).toEqual([409, 'VERSION_CONFLICT', present])
    expect([200, 204]).toContain((await write(present)).status)
  })
})
