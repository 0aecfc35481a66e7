import { lockOf } from '../../kernel/database/locks.ts'
import { newId } from '../../kernel/ids.ts'
import { storableJson } from '../../kernel/json/storable-json.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { sightOf } from '../ai-execution/sight.ts'
import type { Answering } from '../answer/answering.ts'
import type { Heard } from '../tool/tool.ts'
import type { ProposalRow } from './stored.ts'

type Proposed = Pick<ProposalRow, 'object' | 'action' | 'recordId' | 'input' | 'summary' | 'before' | 'expectedVersion'>
export type StoredProposal = Pick<ProposalRow, 'id' | 'summary'>

const lifeMs = 3_600_000
const keptMs = 30 * 86_400_000
const openMax = 100
const influencesMax = 20

/** Stores a proposal that its user may confirm within an hour, with the records whose text was read before. */
export async function storeProposal(ctx: Answering, heard: Heard | null, proposed: Proposed): Promise<StoredProposal> {
  const { caller, clock, db } = ctx
  const { object, action, recordId, input, summary, before, expectedVersion } = proposed
  const id = newId()
  const now = clock.now()
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString()
  await db.transaction(async (sql) => {
    const owner = [caller.organizationId, caller.userId]
    await sql.query(`select pg_advisory_xact_lock(${lockOf('conversations')})`, [owner.join(' ')], 'WRITE')
    await sql.query(
      'delete from assistant.proposal where organization_id = $1 and user_id = $2 and created_at < $3',
      [...owner, at(-keptMs)],
      'WRITE',
    )
    const [open] = await sql.query<{ count: number }>(
      `select count(*)::int as count from assistant.proposal
       where organization_id = $1 and user_id = $2 and status = 'PENDING' and expires_at > $3`,
      [...owner, at(0)],
      'WRITE',
    )
    if (open!.count >= openMax)
      throw refusalInSituation(`You have ${openMax} open proposals; confirm or reject one first.`)
    await sql.query(
      `insert into assistant.proposal (organization_id, user_id, id, conversation_id, object, action, record_id, input, summary, before,
         expected_version, influenced_by, sight, status, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'PENDING', $14, $15)`,
      [
        ...owner,
        id,
        heard?.conversationId ?? null,
        object,
        action,
        recordId,
        storableJson(input),
        summary.slice(0, 1000),
        before === null ? null : storableJson(before),
        expectedVersion,
        storableJson([...(heard?.returned.values() ?? [])].slice(0, influencesMax)),
        sightOf(caller),
        at(0),
        at(lifeMs),
      ],
      'WRITE',
    )
  })
  return { id, summary }
}
