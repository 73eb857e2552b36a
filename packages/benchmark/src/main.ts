console.log("The benchmark is not written yet.")
