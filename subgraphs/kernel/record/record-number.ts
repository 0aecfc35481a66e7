import type { RequestContext } from '../request.ts'

/** The next number of a counter of the organization. Its row stays locked until the transaction ends, so that numbers have no gaps. */
export async function nextNumber({ db, caller }: RequestContext, object: string): Promise<number> {
  const [row] = await db.query<{ value: number }>(
    `insert into kernel.record_number (organization_id, object, value) values ($1, $2, 1)
     on conflict (organization_id, object) do update set value = kernel.record_number.value + 1 returning value`,
    [caller.organizationId, object],
  )
  return row!.value
}

/** The last number that was taken of a counter. Its row stays locked as by `nextNumber`; whoever takes the numbers after it must store the last of them. */
export async function lockNumbers({ db, caller }: RequestContext, object: string): Promise<number> {
  const [row] = await db.query<{ value: number }>(
    `insert into kernel.record_number (organization_id, object, value) values ($1, $2, 0)
     on conflict (organization_id, object) do update set value = kernel.record_number.value returning value`,
    [caller.organizationId, object],
  )
  return row!.value
}

/** Stores the last number that was taken of a counter that the transaction has locked. */
export async function storeLastNumber({ db, caller }: RequestContext, object: string, last: number): Promise<void> {
  await db.query('update kernel.record_number set value = $3 where organization_id = $1 and object = $2', [
    caller.organizationId,
    object,
    last,
  ])
}
