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
    fields,
    ...(whole && { ...rest(), nameField: 'sample' }),
  }),
  customObjectUpdate: async (_requests: Sender, whole: boolean) =>
    whole ? { ...label(), ...rest(), nameField: null } : {},
}
