import { connectionOf, filterOf, pageOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { EmailThread } from './email-thread.ts'

export const EmailThreadFilter = filterOf('EmailThreadFilter', EmailThread)
const EmailThreadOrder = orderOf('EmailThreadOrder', EmailThread)
export const EmailThreadPage = pageOf('EmailThreadPage', EmailThread, 'EMAILS')
export const EmailThreadConnection = connectionOf('EmailThread', EmailThread, 'EMAILS')
export const EmailThreadPageArgs = pageArgs(EmailThreadFilter, EmailThreadOrder)
export const EmailThreadConnectionArgs = connectionArgs(EmailThreadFilter, EmailThreadOrder)
