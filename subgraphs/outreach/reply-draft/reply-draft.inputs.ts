import { connectionOf, filterOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { connectionArgs, pageArgs } from '../../kernel/record/list-args.ts'
import { ReplyDraft } from './reply-draft.ts'

export const ReplyDraftFilter = filterOf('ReplyDraftFilter', ReplyDraft)
const ReplyDraftOrder = orderOf('ReplyDraftOrder', ReplyDraft)
export const ReplyDraftUpdateInput = updateInputOf('ReplyDraftUpdateInput', ReplyDraft)
export const ReplyDraftPage = pageOf('ReplyDraftPage', ReplyDraft, 'EMAILS')
export const ReplyDraftConnection = connectionOf('ReplyDraft', ReplyDraft, 'EMAILS')
export const ReplyDraftPageArgs = pageArgs(ReplyDraftFilter, ReplyDraftOrder)
export const ReplyDraftConnectionArgs = connectionArgs(ReplyDraftFilter, ReplyDraftOrder)
