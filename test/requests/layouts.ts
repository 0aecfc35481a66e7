import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

const layout = () => ({
  name: `${freshPrefix()}layout`,
  config: { sections: [{ label: 'Details', items: [{ field: 'name' }, { slot: 'app/maps:place' }] }] },
})

const rest = () => ({
  config: { sections: [{ label: 'All', columns: 3, isCollapsed: true, items: [{ field: 'name', isRequired: true }] }] },
  tags: ['layouts'],
})

export const layoutBodies = {
  // A record type has one layout for everyone.
  layoutCreate: async ({ platform, member }: Sender, whole: boolean) => {
    await platform.query('delete from extensions.layout where organization_id = $1', [member.organizationId])
    return { objectType: 'ACCOUNT', ...layout(), ...(whole && rest()) }
  },
  layoutUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...layout(), ...rest() } : {}),
}
