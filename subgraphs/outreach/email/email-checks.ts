import {
  attachedFilesMax,
  requireAttachable,
  visibleAccounts,
  visibleContacts,
  visibleLeads,
  visibleOpportunities,
} from '../../crm/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { parseEmail } from '../../kernel/values/email-address.ts'
import { attachedBytesMax, bodyMax, recipientsMax, type EmailSendInput } from './send-email.inputs.ts'
import type { EmailAttachment } from './email.ts'
import type { HtmlProblem } from '../../kernel/template/mail-bounds.ts'

export interface Recipients {
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  /** The path of each address in the input. */
  readonly paths: ReadonlyMap<string, string>
}

/** The canonical addresses, each once. A name, a list or a header in an address is refused. */
export function recipientsOf({ to, cc, bcc }: Pick<EmailSendInput, 'to' | 'cc' | 'bcc'>): Recipients {
  const problems: FieldProblem[] = []
  const paths = new Map<string, string>()
  const addresses = (path: string, given: readonly string[], min: number): string[] => {
    if (given.length < min || given.length > recipientsMax) {
      const message = `${path} must have between ${min} and ${recipientsMax} addresses.`
      problems.push({ path, code: 'OUT_OF_RANGE', message })
      return []
    }
    return given.flatMap((text, index) => {
      const at = `${path}.${index}`
      const email = parseEmail(text)
      if (!email) problems.push({ path: at, code: 'NOT_AN_EMAIL', message: `${at} must be an email address.` })
      if (!email || paths.has(email)) return []
      paths.set(email, at)
      return [email]
    })
  }
  const found = {
    to: addresses('to', to, 1),
    cc: addresses('cc', cc ?? [], 0),
    bcc: addresses('bcc', bcc ?? [], 0),
    paths,
  }
  if (problems.length > 0) throw invalid(...problems)
  return found
}

const codePoints = (text: string): number => [...text].length

/** A subject must be one line, so that it cannot add headers. */
export function checkSubject(subject: string): string {
  const problem = (code: string, message: string) => invalid({ path: 'subject', code, message })
  const text = subject.trim()
  if (!isStorable(text) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    throw problem('NOT_ONE_LINE', 'subject must be one line without control characters.')
  if (text === '' || codePoints(text) > 255) throw problem('OUT_OF_RANGE', 'subject must have 1 to 255 characters.')
  return text
}

export function checkBody(path: string, text: string): string {
  const problem = (code: string, message: string) => invalid({ path, code, message })
  if (!isStorable(text)) throw problem('NOT_TEXT', `${path} must not contain a NUL character or an unpaired surrogate.`)
  if (text.trim() === '') throw problem('EMPTY', `${path} must not be empty.`)
  if (text.length > bodyMax && codePoints(text) > bodyMax)
    throw problem('TOO_LONG', `${path} must have at most ${bodyMax.toLocaleString('en')} characters.`)
  return text
}

/** A sender can write another body, so HTML with too many elements is refused and not given up. */
export function refuseUnfitHtml({ problem }: { readonly problem?: HtmlProblem }): void {
  if (problem) throw invalid({ path: 'bodyHtml', code: problem.code, message: `bodyHtml ${problem.message}` })
}

const references = {
  contactId: visibleContacts,
  leadId: visibleLeads,
  accountId: visibleAccounts,
  opportunityId: visibleOpportunities,
} as const

/** Refuses ids of records that the caller does not see. */
export async function checkLinks(
  ctx: RequestContext,
  input: Partial<Record<keyof typeof references, string | null>>,
): Promise<void> {
  const problems: FieldProblem[] = []
  for (const [path, visible] of Object.entries(references)) {
    const id = input[path as keyof typeof references]
    if (id === null || id === undefined) continue
    if (isId(id) && (await visible(ctx, [id.toLowerCase()])).size > 0) continue
    const message = `${path} must be the id of an existing record that you can see.`
    problems.push({ path, code: 'UNKNOWN_REFERENCE', message })
  }
  if (problems.length > 0) throw invalid(...problems)
}

/** The files to attach. Their bytes are read when the mail is sent. */
export async function attachmentsOf(ctx: RequestContext, fileIds: readonly string[]): Promise<EmailAttachment[]> {
  const files = await requireAttachable(ctx, fileIds, attachedBytesMax)
  return files.map(({ id, name, contentType, size }) => ({ fileId: id, filename: name, contentType, size }))
}

/** The files of a draft, as the column of a record type. */
export const draftFiles = {
  max: 36,
  maxItems: attachedFilesMax,
  decidesEdges: true,
  description: `Ids of the files that are attached when it is sent: READY files that the caller sees, of at most ${attachedBytesMax.toLocaleString('en')} bytes together; empty if none. They are checked again when it is sent, with the rights of the sender. Adding a file needs READ_FILES, and so does sending or scheduling a draft with files.`,
  example: [] as string[],
}

interface DraftWithFiles {
  readonly fileIds: readonly string[]
}

/** The ids in lower case, each once. */
export const canonicalFileIds = ({ fileIds }: DraftWithFiles): { fileIds: string[] } => ({
  fileIds: [...new Set(fileIds.map((id) => id.toLowerCase()))],
})

/** Refuses files that the caller could not attach to a mail. Who only removes some of a draft need not see the others. */
export async function requireDraftFiles(
  ctx: RequestContext,
  { fileIds }: DraftWithFiles,
  previous: DraftWithFiles | null,
): Promise<FieldProblem[]> {
  if (!fileIds.every((id) => previous?.fileIds.includes(id))) await attachmentsOf(ctx, fileIds)
  return []
}
