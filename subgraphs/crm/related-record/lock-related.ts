import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { linkedTypes, type Link } from './related-types.ts'

/** The records whose activity dates a transaction sets, in the order in which every transaction locks them. */
const dated = ['leadId', 'accountId', 'contactId', 'opportunityId'] as const satisfies Link[]
type Dated = (typeof dated)[number]

const snakeCase = (link: Dated): string => link.replace('Id', '_id')

/**
 * Locks what must be locked before records of this type whose tasks and activities move to another one: these first, as whoever changes one of them
 * locks its records afterwards, for the activity dates; then all records whose dates change with them, each type in the order of the ids.
 */
export const lockRelatedTo =
  (link: Dated) =>
  async ({ db, caller }: RequestContext, ids: readonly string[]): Promise<void> => {
    const links = dated.map((one) => `${snakeCase(one)} as "${one}"`).join(', ')
    const lock = (object: string): string =>
      `select ${links} from ${recordType(object)().table}
       where organization_id = $1 and ${snakeCase(link)} = any($2::uuid[]) and deleted_at is null order by id for update`
    // The tasks are locked first, as the order of the parts is that of their evaluation.
    const found = await db.query<Record<Dated, string | null>>(
      `with task as materialized (${lock('task')}), activity as materialized (${lock('activity')})
       select * from task union select * from activity`,
      [caller.organizationId, ids],
      'WRITE',
    )
    for (const one of dated) {
      const named = [...new Set([...found.flatMap((row) => row[one] ?? []), ...(one === link ? ids : [])])]
      if (named.length === 0) continue
      await db.query(
        `select from ${recordType(linkedTypes[one])().table} where organization_id = $1 and id = any($2::uuid[]) order by id
         for no key update`,
        [caller.organizationId, named],
        'WRITE',
      )
    }
  }
