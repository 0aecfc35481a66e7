/** The cookies of a session. The first is the credential itself; the second is for the page, to be sent with writes. */
export const accessCookie = 'access_token'
export const csrfCookie = 'csrf_token'
