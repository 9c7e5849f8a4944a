export default {
  kit: {
    // As in the recipe for SvelteKit 3.
    csrf: { trustedOrigins: process.env['CHECK_ORIGIN'] ? [] : ['*'] },
  },
}
