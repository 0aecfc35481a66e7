import { Field, ObjectType } from 'type-graphql'
import { Refusal } from '../../kernel/errors.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { instructionsOf } from './compose.ts'
import { composeContextOf } from './compose-context.ts'
import { SmartEmailTone } from './smart-email.enumerations.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'
import { writeTexts, writingOf, type DraftText } from './write-text.ts'

@ObjectType({ description: 'Another text for a draft.' })
@RequiresScope('EMAILS')
export class SmartEmailVariant {
  @Field(() => SmartEmailTone, { description: 'How it sounds; each variant has another tone.' })
  tone!: SmartEmailTone

  @Field(() => String, { description: 'Subject in one line.' })
  subject!: string

  @Field(() => String, { description: 'Body as sanitised HTML.' })
  bodyHtml!: string

  @Field(() => String, { description: 'Body as text.' })
  bodyText!: string

  @Field(() => String, { description: 'The model that wrote it; `local-composer-1` for the rules of the platform.' })
  model!: string

  @Field(() => DateTime, { description: 'When it was written.' })
  generatedAt!: string
}

export const variantsMax = 3

/** The tones that the draft does not have. */
const otherTones = (tone: SmartEmailTone): SmartEmailTone[] =>
  (Object.keys(SmartEmailTone) as SmartEmailTone[]).filter((one) => one !== tone).slice(0, variantsMax)

const variantOf = ({ generation, ...text }: DraftText): SmartEmailVariant => ({
  ...text,
  model: generation.model,
  generatedAt: generation.generatedAt,
})

async function stored({ db, caller }: RequestContext, draftId: string): Promise<SmartEmailVariant[] | null> {
  const [row] = await db.query<{ variants: SmartEmailVariant[] }>(
    'select variants from outreach.smart_email_variant where organization_id = $1 and draft_id = $2',
    [caller.organizationId, draftId],
  )
  return row?.variants ?? null
}

/** Only the owner has texts written, because the draft is the owner's. */
function requireOwner({ caller }: RequestContext, { ownerId }: SmartEmailDraft): void {
  if (ownerId === caller.userId && caller.role !== 'READ_ONLY') return
  throw new Refusal(
    'PERMISSION_DENIED',
    'Only the owner of a draft, with a role that may write, can have variants written.',
  )
}

/** The variants of a draft. They are written at the first call and with `refresh`, while no transaction is open. */
export async function variantsOf(
  ctx: RequestContext<'work' | 'languageModel'>,
  id: string,
  refresh: boolean,
): Promise<SmartEmailVariant[]> {
  const draft = await recordsOf(smartEmailDraft).require(ctx, id)
  requireReadable(ctx.caller, smartEmailDraft, 'subject', 'bodyHtml')
  ctx.answered?.record(smartEmailDraft, draft.id)
  const known = await stored(ctx, draft.id)
  if (known && !refresh) return known
  requireOwner(ctx, draft)
  const context = await composeContextOf(ctx, draft, 'IGNORE')
  const attempt = draft.rewrites + (known ? 1 : 0)
  const writing = await writingOf(ctx, context, instructionsOf(draft, otherTones(draft.tone), attempt))
  const variants = (await writeTexts(ctx, writing, context.sources)).map(variantOf)
  await ctx.db.query(
    `insert into outreach.smart_email_variant (organization_id, draft_id, variants) values ($1, $2, $3)
     on conflict (organization_id, draft_id) do update set variants = excluded.variants`,
    [ctx.caller.organizationId, draft.id, JSON.stringify(variants)],
  )
  return variants
}
