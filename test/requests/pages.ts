import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

let pages = 0

const page = () => ({
  label: `${freshPrefix()}page`,
  objectType: 'ACCOUNT',
  definition: {
    regions: [{ name: 'main', components: [{ type: 'FIELDS', label: 'Company', items: [{ field: 'name' }] }] }],
  },
})

const rest = ({ member }: Sender) => ({
  description: 'What sales needs.',
  recordTypeField: 'type',
  assignments: [{ profile: null, recordType: null, position: 3 }],
  ownerId: member.userId,
  tags: ['pages'],
})

const definition = { regions: [{ name: 'main', components: [{ type: 'LAYOUT' }] }] }

export const pageBodies = {
  pageCreate: (requests: Sender, whole: boolean) =>
    Promise.resolve({ apiName: `p_${++pages}_${newId().slice(-8)}`, ...page(), ...(whole && rest(requests)) }),
  pageBuilderValidate: () => Promise.resolve({ objectType: 'ACCOUNT', definition }),
  pageBuilderPreview: (_requests: Sender, whole: boolean) =>
    Promise.resolve({
      objectType: 'ACCOUNT',
      definition,
      ...(whole && { recordTypeField: 'type', profile: null, recordId: null }),
    }),
  pageUpdate: (requests: Sender, whole: boolean) => Promise.resolve(whole ? { ...page(), ...rest(requests) } : {}),
}
