import { Failures } from '../../kernel/jobs/failures.ts'
import { inTurn } from '../../kernel/jobs/in-turn.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { columnOf, type Draft, type RecordDefinition, type StoredRow } from '../../kernel/record/definition.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Port, type RequestContext, type Services } from '../../kernel/request.ts'
import { activeOrganizations, organizationsWith } from './active-organizations.ts'

/** A job with its two statements, which a test explains. */
export interface DueJob extends Job {
  readonly statements: { readonly organizationsSql: string; readonly recordsSql: string }
}

/** Records of one organization that are treated before the next organization has its turn. */
const turn = 20

interface OwnedRow extends StoredRow {
  ownerId: string | null
}

export interface DueRecords<T extends OwnedRow> {
  /** `task.overdue` */
  readonly name: string
  /** Five cron fields, UTC. */
  readonly cron: string
  /** The column of the time at which a record is due. */
  readonly by: keyof T & string
  /** How long before (negative) or after that time the record is due, in milliseconds. */
  readonly afterMs?: number
  /** SQL: the records that may be due, besides that they are not deleted. Their index is `(organization_id, <by>, id)` with this condition. */
  readonly of: string
  /** SQL: a further condition on the record `r` and its organization `o`; `$1` is the time of the run. */
  readonly when?: string
}

interface Decides<T extends OwnedRow> {
  /** What changes at the time `now`; null for nothing: the record may have changed after it was found. */
  readonly decide: (previous: T, now: string) => Partial<Draft<T>> | null
}

interface Works {
  /** In place of `decide`; the record may have changed after it was found. */
  readonly work: (ctx: RequestContext<Port>, due: Due, services: Services) => Promise<unknown>
}

export interface Due {
  readonly id: string
  readonly ownerId: string | null
}

interface Found extends Due, Record<string, unknown> {
  readonly at: string
}

/**
 * The job that changes every record whose time has come, in the order of these times. Organizations take turns, so that many due records of one do
 * not delay the others, and suspended organizations are left alone until they are resumed. A record that fails does not stop the others.
 */
export function dueRecords<T extends OwnedRow>(
  record: RecordDefinition<T>,
  declared: DueRecords<T> & (Decides<T> | Works),
): DueJob {
  const { name, cron, afterMs = 0 } = declared
  const statements = statementsOf(record, declared)
  return {
    name,
    cron,
    statements,
    async run(services) {
      const now = services.clock.now()
      const values = [now.toISOString(), new Date(now.getTime() - afterMs).toISOString()]
      const found = await services.database.query<{ id: string }>(statements.organizationsSql, values)
      const failures = new Failures()
      const treat = (organizationId: string, due: Due): Promise<unknown> => {
        const ctx = systemContext(services, organizationId)
        if ('work' in declared) return declared.work(ctx, due, services)
        const decide = (previous: T) =>
          ({ operation: 'UPDATE', values: {}, ...declared.decide(previous, values[0]!) }) as const
        return change(ctx, record, due.id, decide)
      }
      const nextOf = async (organization: { readonly id: string; after: Found | null }): Promise<boolean> => {
        const { id, after } = organization
        const batch = await services.database.query<Found>(statements.recordsSql, [
          ...values,
          id,
          after?.at ?? null,
          after?.id ?? null,
        ])
        for (const due of batch) await failures.catch(treat(id, due))
        organization.after = batch.at(-1) ?? after
        return batch.length === turn
      }
      await inTurn(
        found.map(({ id }) => ({ id, after: null })),
        nextOf,
        { failures },
      )
    },
  }
}

function statementsOf<T extends OwnedRow>(
  record: RecordDefinition<T>,
  { by, of, when = '$1::timestamptz is not null' }: Pick<DueRecords<T>, 'by' | 'of' | 'when'>,
): DueJob['statements'] {
  const rows = `(select * from ${record.table} where deleted_at is null and ${of}) r`
  const time = columnOf(record, by).sql('r')
  const isDue = `${time} <= $2::timestamptz and ${when}`
  return {
    organizationsSql: organizationsWith(rows, isDue),
    recordsSql: `
      select r.id, r.owner_id as "ownerId", ${time} as at from ${rows} join ${activeOrganizations('o')} on o.id = r.organization_id
      where r.organization_id = $3 and ${isDue} and ($4::timestamptz is null or (${time}, r.id) > ($4, $5::uuid))
      order by ${time}, r.id limit ${turn}`,
  }
}
