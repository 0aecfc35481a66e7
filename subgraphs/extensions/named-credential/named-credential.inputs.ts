import { ValueArg } from '../../kernel/record/declared-value.ts'
import { createInputOf, filterOf, pageRequiring, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { NamedCredential } from './named-credential.ts'

export const NamedCredentialCreateInput = createInputOf('NamedCredentialCreateInput', NamedCredential)
export const NamedCredentialUpdateInput = updateInputOf('NamedCredentialUpdateInput', NamedCredential)
export const NamedCredentialPage = pageRequiring('NamedCredentialPage', NamedCredential, 'SESSION')
export const NamedCredentialPageArgs = pageArgs(
  filterOf('NamedCredentialFilter', NamedCredential),
  orderOf('NamedCredentialOrder', NamedCredential),
)

/** The credential of an operation. It is no `ID`, because it may be a name. */
export const CredentialArg = () =>
  ValueArg('id', () => String, {
    max: 64,
    filled: true,
    description: 'Id or `apiName` of the named credential.',
    example: 'erp',
  })
