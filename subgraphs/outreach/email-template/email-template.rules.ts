import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { mayWrite } from '../../kernel/record/field-security.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { Move, StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { templateProblemsOf } from '../../kernel/template/parse-template.ts'
import type { EmailTemplateStatus } from './email-template.enumerations.ts'
import type { EmailTemplate } from './email-template.ts'

const parts = ['subject', 'bodyHtml', 'bodyText'] as const

/** Every changed part must be a template within its bounds. */
export function templatesAreValid(
  { caller }: RequestContext,
  next: EmailTemplate,
  previous: EmailTemplate | null,
): Promise<FieldProblem[]> {
  const changed = parts.flatMap((path): [string, string][] => {
    const source = next[path]
    return source === null || source === previous?.[path] ? [] : [[path, source]]
  })
  return templateProblemsOf(caller.organizationId, changed)
}

const nameForm = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,5}$/

export function variablesAreNamed({ variables }: EmailTemplate): FieldProblem[] {
  const names = new Set<string>()
  return variables.flatMap(({ name }, index): FieldProblem[] => {
    const path = `variables.${index}.name`
    if (!nameForm.test(name)) {
      const message = `${path} must be one to six words of letters, digits and _, separated by dots; a word must not begin with a digit.`
      return [{ path, code: 'WRONG_FORMAT', message }]
    }
    if (names.has(name)) return [{ path, code: 'NOT_UNIQUE', message: `${path} must be unique in the template.` }]
    names.add(name)
    return []
  })
}

export function isLanguage({ language }: EmailTemplate): FieldProblem[] {
  if (language === null) return []
  try {
    if (Intl.getCanonicalLocales(language).length === 1) return []
  } catch {
    // Not a tag.
  }
  return [{ path: 'language', code: 'WRONG_FORMAT', message: 'language must be a BCP 47 language tag, such as en-GB.' }]
}

const managers: ReadonlySet<string> = new Set(['OWNER', 'ADMIN', 'MANAGER'])

const mayChange = ({ caller }: RequestContext, { ownerId }: EmailTemplate): boolean =>
  caller.kind === 'SYSTEM' || ownerId === caller.userId || managers.has(caller.role)

const shape = recordType('email_template')

const update: Move<EmailTemplate> = {
  operation: 'emailTemplateUpdate',
  isPossible: ({ caller }) => mayWrite(caller, shape(), 'status'),
}

/** A change may set every status. */
export const emailTemplateStates: StateMachine<EmailTemplate, EmailTemplateStatus> = {
  name: 'email template',
  scope: 'WRITE_EMAIL_TEMPLATES',
  mayChange,
  transitions: {
    DRAFT: { ACTIVE: [update], ARCHIVED: [update] },
    ACTIVE: { DRAFT: [update], ARCHIVED: [update] },
    ARCHIVED: { DRAFT: [update], ACTIVE: [update] },
  },
}

/** Others see a shared template, but a change of it would reach everybody who uses it. */
export function refuseForeignTemplate(ctx: RequestContext, previous: EmailTemplate): void {
  if (mayChange(ctx, previous)) return
  throw new Refusal(
    'PERMISSION_DENIED',
    'Only the owner of the template and users with the role OWNER, ADMIN or MANAGER may change it. Copy it to change the copy.',
  )
}
