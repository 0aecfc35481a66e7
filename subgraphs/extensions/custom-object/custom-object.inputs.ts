import { createInputWith, type CreatedWith } from '../../kernel/record/created-with.ts'
import { filterOf, pageOf, updateInputOf } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { CustomField } from '../custom-field/custom-field.ts'
import { createdFieldsMax } from './bounds.ts'
import { CustomObject } from './custom-object.ts'

/** The fields with which an object is created. */
export const fieldsOfObject: CreatedWith = {
  property: 'fields',
  entity: CustomField,
  input: 'CustomObjectFieldInput',
  omitted: ['entity'],
  itemsMax: createdFieldsMax,
  description: 'Custom fields that the object gets in the same transaction, in this order.',
}

export const CustomObjectCreateInput = createInputWith('CustomObjectCreateInput', CustomObject, fieldsOfObject)
export const CustomObjectUpdateInput = updateInputOf('CustomObjectUpdateInput', CustomObject)
export const CustomObjectPage = pageOf('CustomObjectPage', CustomObject, 'CUSTOM_OBJECTS')
export const CustomObjectPageArgs = pageArgs(
  filterOf('CustomObjectFilter', CustomObject),
  orderOf('CustomObjectOrder', CustomObject),
)
