import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const label = () => ({ label: 'Site visit' })

const rest = () => ({
  pluralLabel: 'Site visits',
  description: 'Visits of our technicians.',
  tags: ['objects'],
})

/** The field of sample values, which every record of the object may have. */
const fields = [{ name: 'sample', label: 'Sample', fieldType: 'TEXT' }]

export const customObjectBodies = {
  customObjectCreate: async (_requests: Sender, whole: boolean) => ({
    name: `${freshPrefix().toLowerCase().replace('-', '_')}object`,
    ...label(),
    // A text by which its records can be searched.
    nameField: 'sample',
    fields,
    ...(whole && rest()),
  }),
  customObjectUpdate: async (_requests: Sender, whole: boolean) =>
    whole ? { ...label(), ...rest(), nameField: null } : {},
}

/** A field has the values of a picklist, a formula or a rollup. */
export const customObjectParts = {
  customObjectCreate: {
    fields: [
      {
        ...fields[0],
        picklistValues: [{ value: 'GOLD' }],
        formulaConfig: { expression: 'LEN(name)', returnType: 'NUMBER' },
        rollupConfig: { childObject: 'OPPORTUNITY', relationField: 'accountId', aggregate: 'COUNT' },
      },
    ],
  },
}
