import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mayRunActions } from '../../extensions/public.ts'
import { maySee } from '../ai-execution/sight.ts'
import type { ConversationCitation } from '../conversation/conversation.types.ts'
import { mayReadType } from '../question/find-names.ts'
import { questionObjects } from '../question/question.ts'
import type { Proposal, ProposalListArgs, ProposalStatus } from './proposal.types.ts'
import { actionObject, type StoredAction } from './proposed-objects.ts'

export interface ProposalRow extends Record<string, unknown> {
  readonly id: string
  readonly conversationId: string | null
  readonly object: string
  readonly action: StoredAction
  readonly recordId: string
  readonly input: Readonly<Record<string, unknown>>
  readonly summary: string
  readonly before: unknown
  readonly expectedVersion: number | null
  readonly influencedBy: ConversationCitation[]
  readonly sight: string | null
  readonly output: unknown
  readonly status: ProposalStatus
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly begunAt: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly decidedAt: string | null
}

const columns = `id, conversation_id as "conversationId", object, action, record_id as "recordId", input, summary, before,
  expected_version as "expectedVersion", influenced_by as "influencedBy", sight, output, status, error_code as "errorCode",
  error_message as "errorMessage", begun_at as "begunAt", created_at as "createdAt", expires_at as "expiresAt", decided_at as "decidedAt"`

/** A proposal that nobody has confirmed in time is EXPIRED, whether or not that was stored. */
export const statusOf = ({ status, begunAt, expiresAt }: ProposalRow, now: Date): ProposalStatus =>
  status === 'PENDING' && begunAt === null && new Date(expiresAt) <= now ? 'EXPIRED' : status

export const isOfAction = ({ object }: Pick<ProposalRow, 'object'>): boolean => object === actionObject

export const mutationName = ({ object, action }: Pick<ProposalRow, 'object' | 'action'>): string =>
  isOfAction({ object }) ? 'customActionExecute' : `${object}${action === 'create' ? 'Create' : 'Update'}`

/** The summary without the name of the record that was read. */
const shortSummary = (row: ProposalRow): string =>
  isOfAction(row) ? 'Run a custom action' : `Update ${row.object}: ${Object.keys(row.input).join(', ')}`

const mayReadCited = (caller: Caller, { entityType }: ConversationCitation): boolean => {
  const object = entityType.toLowerCase()
  return !questionObjects.includes(object) || mayReadType(caller, object)
}

/** What was read is shown only to somebody who sees the same as then, by a credential that may read such records. */
export function shownOfProposal(
  caller: Caller,
  row: ProposalRow,
): Pick<ProposalRow, 'before' | 'influencedBy' | 'summary' | 'output'> {
  const { object, action, sight, before, influencedBy, summary, output } = row
  const isAlike = maySee(caller, sight)
  const isSeen = isAlike && (isOfAction(row) ? mayRunActions(caller) : mayReadType(caller, object))
  return {
    before: isSeen ? before : null,
    influencedBy: isAlike ? influencedBy.filter((cited) => mayReadCited(caller, cited)) : [],
    summary: isSeen || action === 'create' ? summary : shortSummary(row),
    output: isSeen ? output : null,
  }
}

export function proposalOf(caller: Caller, row: ProposalRow, now: Date): Proposal {
  const { object, action, sight: _sight, begunAt: _begun, ...shown } = row
  return {
    ...shown,
    ...shownOfProposal(caller, row),
    mutation: mutationName({ object, action }),
    entityType: object.toUpperCase(),
    status: statusOf(row, now),
  }
}

type Owner = Pick<Caller, 'organizationId' | 'userId'>

/** The proposal, if it is one of the user. `isLocked`: it stays as it is until the end of the transaction. */
export async function requireProposal(
  db: Sql,
  { organizationId, userId }: Owner,
  id: string,
  isLocked = false,
): Promise<ProposalRow> {
  const [row] = isId(id)
    ? await db.query<ProposalRow>(
        `select ${columns} from assistant.proposal where organization_id = $1 and user_id = $2 and id = $3${isLocked ? ' for update' : ''}`,
        [organizationId, userId, id],
        isLocked ? 'WRITE' : 'LOOKUP',
      )
    : []
  if (!row) throw notFound('The proposal')
  return row
}

export async function readProposal({ db, caller, clock }: RequestContext, id: string): Promise<Proposal> {
  return proposalOf(caller, await requireProposal(db, caller, id), clock.now())
}

export async function listProposals(
  { db, caller, clock }: RequestContext,
  { status, limit, page }: ProposalListArgs,
): Promise<Proposal[]> {
  const now = clock.now()
  const rows = await db.query<ProposalRow>(
    `select ${columns} from assistant.proposal
     where organization_id = $1 and user_id = $2
       and ($3::text is null or $3 = case when status = 'PENDING' and begun_at is null and expires_at <= $4 then 'EXPIRED' else status end)
     order by id desc limit $5 offset $6`,
    [caller.organizationId, caller.userId, status ?? null, now.toISOString(), limit, (page - 1) * limit],
    'LIST',
  )
  return rows.map((row) => proposalOf(caller, row, now))
}
