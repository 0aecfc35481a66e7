import { hash } from 'node:crypto'
import { Refusal } from '../../kernel/errors.ts'
import { pureCall } from '../../kernel/outbound/external-call.ts'
import { sendersOf } from '../../identity/public.ts'
import { readReference } from '../../kernel/record/read.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import type { RenderedContent } from '../../kernel/template/render-mail.ts'
import type { TemplateValues } from '../../kernel/template/template-variables.ts'
import { emailTemplate } from './email-template.record.ts'
import type { EmailTemplate } from './email-template.ts'
import { asSender } from '../email/as-sender.ts'
import { recordValues, type MailRecords } from './known-variables.ts'
import { renderTemplate } from './render-template.ts'

/** The ids of the ACTIVE templates that the caller sees. */
export async function activeTemplates(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const active = new Set<string>()
  for (const id of ids) {
    const found = await readReference(ctx, emailTemplate, id, new Set(['id', 'status']))
    if (found?.['status'] === 'ACTIVE') active.add(id)
  }
  return active
}

/** A part of the platform that is busy says nothing about the template: the caller tries again. */
function nullIfRefused(error: unknown): null {
  if (error instanceof Refusal && error.status < 500) return null
  throw error
}

type Values = Readonly<Record<string, unknown>>
const partOf = (record: unknown, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, (record as Values)[name]]))

/**
 * The values of the records for a mail to their customer: as the owner sees them if the caller sees no less, otherwise names only. The platform
 * itself takes names only, because whoever writes the template or gets the mail may see less than it.
 */
async function customerValues(
  ctx: RequestContext,
  records: MailRecords,
  ownerId: string | null,
): Promise<TemplateValues> {
  const { kind, userId, ownerIds, fields } = ctx.caller
  const isWhole = kind !== 'SYSTEM' && (userId === ownerId || (fields === null && ownerIds === null))
  const owner = isWhole && ownerId !== null ? (await sendersOf(ctx, [ownerId])).get(ownerId) : null
  if (owner) {
    const { sender: _sender, ...values } = await recordValues(asSender(ctx, owner), records)
    return values
  }
  const { organization, contact, account } = await recordValues(asSystem(ctx, ctx.caller.organizationId), records)
  return {
    ...(organization !== undefined && { organization }),
    ...(contact !== undefined && { contact: partOf(contact, ['firstName', 'lastName', 'name']) }),
    ...(account !== undefined && { account: partOf(account, ['name']) }),
  }
}

/**
 * The mail of a template for the organization, with the values of the records and `values`, whose names the template need not declare;
 * null if the template is not ACTIVE, cannot be rendered or lacks a value. Use it inside `transactionWithExternalCalls`.
 */
export async function templateMail(
  ctx: RequestContext<'work'>,
  templateId: string,
  records: MailRecords & { readonly ownerId: string | null },
  values: TemplateValues,
): Promise<RenderedContent | null> {
  const system = asSystem(ctx, ctx.caller.organizationId)
  const columns = new Set(['id', 'version', 'status', 'subject', 'bodyHtml', 'bodyText', 'variables'])
  const template = (await readReference(system, emailTemplate, templateId, columns)) as EmailTemplate | null
  if (template?.status !== 'ACTIVE') return null
  const given = Object.keys(values).filter((name) => !template.variables.some((declared) => declared.name === name))
  const variables = [
    ...template.variables,
    ...given.map((name) => ({ name, required: false, defaultValue: null, label: null })),
  ]
  const known = await customerValues(ctx, records, records.ownerId).catch(nullIfRefused)
  if (!known) return null
  const all = { ...known, ...values }
  const key = `render ${hash('sha256', JSON.stringify([templateId, template.version, all]))}`
  const { subject, bodyHtml, bodyText } = template
  const rendered = await pureCall(
    ctx,
    key,
    async () => () => renderTemplate(ctx, { subject, bodyHtml, bodyText, variables }, all).catch(nullIfRefused),
  )
  const isWhole = rendered && rendered.missingVariables.length + rendered.unknownVariables.length === 0
  return isWhole ? rendered : null
}
