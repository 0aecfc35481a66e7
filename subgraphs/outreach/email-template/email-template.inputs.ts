import { replaceInputOf } from '../../kernel/record/inputs.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { emailTemplate } from './email-template.record.ts'
import { EmailTemplate } from './email-template.ts'

export const emailTemplateTypes = operationTypes(emailTemplate, 'EMAIL_TEMPLATES')

export const EmailTemplateReplaceInput = replaceInputOf('EmailTemplateReplaceInput', EmailTemplate)
