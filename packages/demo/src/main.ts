console.log("The demo is not written yet.")
