import { extendedEntity } from '../../kernel/record/extended-entity.ts'

/** A record of a custom object of the organization. Tasks, activities and files name it by its type and id. */
export const CustomRecord = extendedEntity('CustomRecord')
