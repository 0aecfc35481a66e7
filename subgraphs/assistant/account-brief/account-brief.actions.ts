import { requireVisibleAccount } from '../../crm/public.ts'
import { modelUserOf, userTimezone } from '../../identity/public.ts'
import type { ModelUser } from '../../kernel/language-model/language-model.ts'
import { hasNoAnswer } from '../../kernel/language-model/model-error.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireRole } from '../../kernel/require.ts'
import { hasModel } from '../answer/modes.ts'
import type { AccountBrief } from './account-brief.types.ts'
import { briefByModel, cleanBrief } from './brief-model.ts'
import { briefByRules, briefRules } from './brief-rules.ts'
import type { Brief, Facts } from './facts.ts'
import { readFacts, type ReadRecords } from './read-facts.ts'
import { shownBriefs, storeBrief } from './stored-brief.ts'

export type BriefContext = RequestContext<'graph' | 'languageModel'>

interface Written {
  readonly brief: Brief & { readonly model: string }
  readonly records: ReadRecords
}

/** Writes the brief of an account for the caller and stores it. Nothing is stored if the account is out of sight when the text is ready. */
export function generateBrief(ctx: BriefContext, given: string): Promise<AccountBrief> {
  requireRole(ctx, 'OWNER', 'ADMIN', 'MANAGER', 'MEMBER')
  return transactionWithExternalCalls(ctx, async (inner) => {
    const id = await requireVisibleAccount(inner, given)
    const { brief, records } = await externalCall(inner, `brief of account ${id}`, () => prepareBrief(inner, id))
    const stored = { ...brief, generatedAt: inner.clock.now().toISOString() }
    await storeBrief(inner, id, stored, records)
    noteRecords(inner, { account: [id], ...records })
    return stored
  })
}

async function prepareBrief(ctx: BriefContext, id: string): Promise<() => Promise<Written>> {
  const user = await modelUserOf(ctx)
  const zone = (await userTimezone(ctx, ctx.caller.userId)) ?? 'UTC'
  return async () => {
    const { facts, records } = await readFacts(ctx, id, zone)
    return { brief: await writeBrief(ctx, facts, user), records }
  }
}

async function writeBrief(ctx: BriefContext, facts: Facts, user: ModelUser): Promise<Written['brief']> {
  if (hasModel(ctx, user))
    try {
      return await briefByModel(ctx.languageModel, facts, user)
    } catch (error) {
      if (!hasNoAnswer(error)) throw error
      ctx.log.info({ code: error.code }, 'a brief is written by rules, because the model gave none')
    }
  return { ...cleanBrief(briefByRules(facts)), model: briefRules }
}

/** A stored answer is replayed only to a caller who still sees these records. */
function noteRecords({ answered }: RequestContext, records: ReadRecords): void {
  for (const [object, ids] of Object.entries(records)) {
    const shape = recordType(object)()
    answered?.aggregate(shape)
    for (const id of ids) answered?.record(shape, id)
  }
}

/** The stored brief of an account that the caller sees; null without one that the caller may see. */
export async function readBrief(ctx: RequestContext, given: string): Promise<AccountBrief | null> {
  const id = await requireVisibleAccount(ctx, given)
  return (await shownBriefs(ctx, [id])).get(id) ?? null
}
