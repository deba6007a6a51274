import { defineConfig } from "vite";

// API types are erased, so nothing of deploy/types ends up in the bundle.
export default defineConfig({
  base: "/console/",
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: true },
});
