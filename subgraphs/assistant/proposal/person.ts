import { newId } from '../../kernel/ids.ts'
import { requireToolAction } from '../../extensions/public.ts'
import type { Caller } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireWrite } from '../tool/records.ts'
import { requireOpen } from './decide.ts'
import { isOfAction, requireProposal, shownOfProposal, type ProposalRow } from './stored.ts'

/** What a person is asked before a change is made: the change in words, from the proposal and not from who proposes it. */
export interface Question {
  /** Its id, which whoever answers must know. */
  readonly id: string
  readonly proposalId: string
  readonly text: string
}

/** Characters of a value before the change. */
const oldMax = 200

const shownOld = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > oldMax ? `${text.slice(0, oldMax).toWellFormed()}…` : text
}

/** The person reads all of what will be written, and of what an action gets, because it may leave the platform. It has the bound of arguments of tools. */
const proposalText = (caller: Caller, row: ProposalRow): string => {
  const { summary, before } = shownOfProposal(caller, row)
  const { input } = row
  if (isOfAction(row)) return `${summary}?\n${JSON.stringify(input['input'])}`
  const old = (before ?? {}) as Readonly<Record<string, unknown>>
  const lines = Object.entries(input).map(
    ([name, value]) => `${name}: ${name in old ? `${shownOld(old[name])} → ` : ''}${JSON.stringify(value)}`,
  )
  return [`${summary}?`, ...lines].join('\n')
}

/** Asks the user of the proposal through a client whose credential may make the change; a later question replaces it. */
export async function askPerson(ctx: RequestContext, proposalId: string): Promise<Question> {
  const { db, caller, clock } = ctx
  const row = requireOpen(await requireProposal(db, caller, proposalId), clock.now())
  if (isOfAction(row)) await requireToolAction(ctx, row.recordId)
  else requireWrite(caller, row.object)
  const id = newId()
  await db.query(
    'update assistant.proposal set question = $4, answer = null where organization_id = $1 and user_id = $2 and id = $3',
    [caller.organizationId, caller.userId, row.id, id],
    'WRITE',
  )
  return { id, proposalId: row.id, text: proposalText(caller, row) }
}

/** Stores what the user answered; the first answer counts. The process that waits for it may be another one. */
export async function answerQuestion(
  { db, caller }: RequestContext,
  question: string,
  answer: 'accept' | 'decline',
): Promise<void> {
  await db.query(
    'update assistant.proposal set answer = $4 where organization_id = $1 and user_id = $2 and question = $3 and answer is null',
    [caller.organizationId, caller.userId, question, answer],
    'WRITE',
  )
}

export async function answerTo({ db, caller }: RequestContext, question: Question): Promise<string | null> {
  const [row] = await db.query<{ answer: string | null }>(
    'select answer from assistant.proposal where organization_id = $1 and user_id = $2 and id = $3 and question = $4',
    [caller.organizationId, caller.userId, question.proposalId, question.id],
    'LOOKUP',
  )
  return row?.answer ?? null
}
