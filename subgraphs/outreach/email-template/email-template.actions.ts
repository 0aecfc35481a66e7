import { invalid } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import { initialValue } from '../../kernel/record/column.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { RenderedContent } from '../../kernel/template/render-mail.ts'
import { emailTemplate } from './email-template.record.ts'
import { EmailTemplate } from './email-template.ts'
import { plainValue, recordValues, type MailRecords } from './known-variables.ts'
import { renderTemplate } from './render-template.ts'

export const nameMax = 255

/** Replaces the whole template: a field that the input does not name gets its value of a new template. The owner stays unless named. */
export function replaceTemplate(
  ctx: RequestContext,
  id: string,
  input: Partial<EmailTemplate>,
  expectedVersion: number | null,
): Promise<EmailTemplate> {
  return change(
    ctx,
    emailTemplate,
    id,
    (previous) => {
      const columns = writableColumns(EmailTemplate, 'UPDATE').filter(({ name }) => name !== 'ownerId')
      const initial = Object.fromEntries(columns.map((column) => [column.name, initialValue(column) ?? null]))
      // A key of customFields that the input does not name is removed.
      const customFields = Object.fromEntries(Object.keys(previous.customFields).map((key) => [key, null]))
      const given = Object.fromEntries(
        Object.entries(input).filter(([, value]) => value !== undefined && value !== null),
      )
      const values = { ...initial, ...given, customFields: { ...customFields, ...input.customFields } }
      return { operation: 'UPDATE', values: values as Partial<EmailTemplate> }
    },
    { expectedVersion },
  )
}

const copyName = (name: string): string => [...`Copy of ${name}`].slice(0, nameMax).join('')

/** Copies a template that the caller sees. The copy belongs to the caller, is a draft and is not shared. */
export async function cloneTemplate(ctx: RequestContext, id: string, name: string | null): Promise<EmailTemplate> {
  requireWritableRole(ctx)
  const source = await recordsOf(emailTemplate).require(ctx, id)
  const { subject, bodyHtml, bodyText, category, variables, language, tags, metadata, customFields } = source
  const content = { subject, bodyHtml, bodyText, category, variables, language, tags, metadata, customFields }
  return recordsOf(emailTemplate).create(ctx, {
    ...content,
    name: name ?? copyName(source.name),
    status: 'DRAFT',
    isShared: false,
  })
}

/** Maximum characters of the JSON of the given values. */
export const valuesMax = 64_000

/** The values of variables that a caller sends. */
export function givenValues(variables: unknown): Record<string, unknown> {
  if (variables === null || variables === undefined) return {}
  if (!isJsonObject(variables))
    throw invalid({ path: 'variables', code: 'WRONG_TYPE', message: 'variables must be an object.' })
  if (JSON.stringify(variables).length > valuesMax) {
    const message = `variables must have at most ${valuesMax} characters as JSON.`
    throw invalid({ path: 'variables', code: 'TOO_LONG', message })
  }
  return plainValue(variables) as Record<string, unknown>
}

/** The mail that the template makes of the records that the caller sees and of the given values, which come first. */
export async function previewTemplate(
  ctx: RequestContext<'work'>,
  id: string,
  records: MailRecords,
  variables: unknown,
): Promise<RenderedContent> {
  const given = givenValues(variables)
  const template = await recordsOf(emailTemplate).require(ctx, id)
  ctx.answered?.record(emailTemplate, template.id)
  return renderTemplate(ctx, template, withGiven(await recordValues(ctx, records), given))
}

/** Values of records with given ones: `contact` of both is merged. */
export function withGiven(
  values: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...values }
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(values, name) ? values[name] : undefined
    merged[name] = isJsonObject(value) && isJsonObject(known) ? { ...known, ...value } : value
  }
  return merged
}
